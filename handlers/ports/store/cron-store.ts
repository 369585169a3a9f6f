import type { ListQuery, Page } from './list-query.ts'
import type { Timestamp } from './records.ts'

/** What a job runs: a program with its arguments, a line for `sh`, or an address that is asked. */
export type CronKind = 'command' | 'shell' | 'url'

/** What becomes of a run that is due while the one before still runs. */
export type CronOverlap = 'skip' | 'queue' | 'kill'

/** What an owner says of a job. */
export interface CronSettings {
  name: string
  /** Five fields as of crontab(5), or `@daily` and the like. */
  schedule: string
  /** IANA name. */
  time_zone: string
  kind: CronKind
  /** Of a `command` the arguments as JSON list; else the line or the address. */
  command: string
  enabled: boolean
  time_limit_secs: number
  overlap: CronOverlap
  /** After so many failures in a row somebody is told; 0: never. */
  notify_after: number
}

/** A job of an account. */
export interface CronJobRow extends CronSettings {
  id: number
  account_id: number
  /** UTC; null: never, since it is off. */
  next_at: Timestamp | null
  /** Failed runs since the last good one. */
  failures: number
  created_at: Timestamp
  updated_at: Timestamp
}

/** `lost`: whoever ran it ended before it did, so how it went is not known. */
export type CronOutcome =
  'queued' | 'running' | 'ok' | 'failed' | 'timeout' | 'killed' | 'skipped' | 'lost'

/** One run of a job. */
export interface CronRunRow {
  /** UUID, also the host's name of the run. */
  id: string
  job_id: number
  /** The minute that it ran for; of a run by hand when that was asked for. */
  due_at: Timestamp
  by_hand: boolean
  started_at: Timestamp | null
  ended_at: Timestamp | null
  outcome: CronOutcome
  /** Exit code of a program, HTTP status of an address; null: there was none. */
  code: number | null
  /** What it wrote, at most 64 kB, or why it did not run. */
  output: string
}

/** A job with its account's name and its last run. */
export interface ListedCronJob extends CronJobRow {
  username: string
  last_outcome: CronOutcome | null
  last_started_at: Timestamp | null
}

/** Part of the store: cron jobs. */
export interface CronStore {
  /** By name unless the query says otherwise; filters `enabled` (`true`, `false`) and `outcome`. */
  listCronJobs(query?: ListQuery): Promise<Page<ListedCronJob>>
  /** Null when there is none, or no longer. */
  cronJob(id: number): Promise<CronJobRow | null>
  /** `'limit'` where the account has as many as `limit`; null is no limit. */
  insertCronJob(row: Omit<CronJobRow, 'id'>, limit: number | null): Promise<CronJobRow | 'limit'>
  /** What is absent stays; a job that is not there is no error. */
  updateCronJob(id: number, change: Partial<Omit<CronJobRow, 'id' | 'account_id'>>): Promise<void>
  /** With its runs. */
  deleteCronJob(id: number): Promise<void>
  /** Enabled jobs of active accounts that are due at `at`, or whose time lies after `wrongAfter`. */
  dueCronJobs(at: Timestamp, wrongAfter: Timestamp): Promise<(CronJobRow & { username: string })[]>
  /**
   * Records a run and when the job is due next (`undefined`: unchanged), both or neither:
   * false where one of the schedule was recorded for this minute before.
   */
  beginCronRun(row: CronRunRow, nextAt: Timestamp | null | undefined): Promise<boolean>
  /** As `updateCronJob`. */
  updateCronRun(id: string, change: Partial<Omit<CronRunRow, 'id' | 'job_id'>>): Promise<void>
  /** Newest first. */
  listCronRuns(jobId: number): Promise<CronRunRow[]>
  /** Runs without an end, oldest first. */
  openCronRuns(): Promise<CronRunRow[]>
  /** Keeps the newest `keep` ended runs of a job, and of those that were left out the newest `keepSkipped`. */
  trimCronRuns(jobId: number, keep: number, keepSkipped: number): Promise<void>
}
