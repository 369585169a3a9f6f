import type { OperationRow, Timestamp } from './store/records.ts'
import type { ListQuery, Page } from './store/list-query.ts'

/** Work that outlives a request, e.g. settling open operations after a start. */
export interface Background {
  /** Runs `work` after the response; failures are logged. */
  run(name: string, work: () => Promise<void>): void
}

/**
 * Told before each step of work that takes long: the step in a few words, what
 * it is about, and how much is done then (0-100). Never throws and never waits.
 */
export interface Report {
  (step: string, detail?: string, percent?: number): void
  /** Job that is done; an operation of the journal that carries it tells after a crash what became of the job. */
  readonly jobId?: string
}

/** In the order in which a job goes through them; it ends with one of the last two. */
export const JOB_STATES = ['queued', 'running', 'done', 'failed'] as const
/** One of `JOB_STATES`. */
export type JobState = (typeof JOB_STATES)[number]

/** Long work that a client follows instead of waiting for its response. */
export interface JobRow {
  id: string
  /** E.g. `account.create`. */
  kind: string
  /** What it is about, e.g. a username or domain. */
  subject: string
  /** Account that it belongs to, whose user may see it; null: for administrators alone. */
  account_id: number | null
  /** The reseller who began it; null: nobody of them. */
  reseller_id: number | null
  state: JobState
  /** Percent. */
  progress: number
  step: string | null
  detail: string | null
  /** `data` of the response that would have been given; null until done. */
  result: unknown
  /** Text of the failure; null unless failed. */
  error: string | null
  /** HTTP status of the response that would have been given; null until finished. */
  status: number | null
  created_at: Timestamp
  started_at: Timestamp | null
  finished_at: Timestamp | null
  /** Number of the latest change, ascending over all jobs. */
  change: number
}

/** What may change of a job; what is absent stays. */
export type JobChange = Partial<Omit<JobRow, 'id' | 'kind' | 'created_at' | 'change'>>

/** Which jobs a reader sees; absent means any. */
export interface JobFilter {
  accountId?: number
  /** Those that he began, and those of his accounts. */
  resellerId?: number
  id?: string
}

/** What is noted beside a job. */
export interface JobInsertion {
  /** The one that works on it. Default: the panel is alone. */
  instance?: string | undefined
  /** Who starts it, and how many of his and in all may be open with it. Default: any number. */
  bounds?: { startedBy: string; most: number; mostOfAll: number }
}

/** Records of jobs; each method is one atomic change. */
export interface JobStore {
  /**
   * False where as many are open as `bounds` says, over all instances: then nothing is inserted.
   * Also deletes jobs that finished before `deleteBefore`, and the oldest beyond ten thousand.
   */
  insertJob(
    row: Omit<JobRow, 'change'>,
    deleteBefore: Timestamp,
    options?: JobInsertion,
  ): Promise<boolean>
  /** Changes a job that is not finished, and gives it the next number; no effect on others. */
  updateJob(id: string, change: JobChange): Promise<void>
  /** Null for a job that never was, or was deleted by `insertJob`. */
  jobById(id: string): Promise<JobRow | null>
  /** Oldest first unless the query says otherwise. */
  listJobs(query?: ListQuery & { state?: JobState; kind?: string }): Promise<Page<JobRow>>
  /** Jobs whose latest change is above `change`, in the order of their changes. */
  jobsChangedSince(change: number, filter: JobFilter, limit: number): Promise<JobRow[]>
  /** The highest number of a change; 0 without jobs. */
  latestJobChange(): Promise<number>
  /**
   * Queued and running jobs created at `latest` or earlier; with `alone` not those of other
   * instances that were heard of within so many milliseconds.
   */
  unfinishedJobs(
    latest: Timestamp,
    alone?: { instance: string; withinMs: number },
  ): Promise<JobRow[]>
  /** Operations of the journal that were done for a job, oldest first. */
  operationsOfJob(id: string): Promise<OperationRow[]>
}
