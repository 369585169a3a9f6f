import { timestamp } from '../../domain/text/timestamp.ts'
import {
  AppError,
  diskFull,
  INTERNAL_ERROR,
  isAppError,
  notFound,
  PANEL_DISK,
} from '../../errors.ts'
import type { JobChange, JobFilter, JobRow, JobState, Report } from '../../ports/jobs.ts'
import type { OperationRow } from '../../ports/store/records.ts'
import type { ListQuery, Page } from '../../ports/store/list-query.ts'
import type { Changes } from '../records/changes.ts'
import { createChanges } from '../records/changes.ts'
import { DEAD_MS } from '../journal/duties.ts'
import { createJobLanes } from './lanes.ts'
import { watchChanges } from './watch-changes.ts'
import { createJobWriter } from './writer.ts'
import { HALF_DONE, outcomeOf } from './outcome.ts'
import type { Recover } from './outcome.ts'
import { createTellFailure, type JobNotify } from './tell-failure.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** A job as the API returns it. */
export type JobView = Omit<JobRow, 'change' | 'reseller_id'>

/** What a job is about, and whose it is. */
export interface JobOrder {
  kind: string
  subject: string
  /** Account that it belongs to; null: administrators alone see it. */
  accountId: number | null
  /** The reseller who starts it; null: nobody of them. */
  resellerId: number | null
  /** Who starts it; bounds are counted by it. */
  user: string
}

/** Long work behind a response; kept for 30 days after its end. */
export interface Jobs {
  /** Runs `work` behind the response, and tells the job's id. 429 when the user has too many open. */
  start(order: JobOrder, work: (report: Report) => Promise<unknown>): Promise<string>
  /** 404, also for one that `whose` does not see. */
  get(id: string, whose: JobFilter): Promise<JobView>
  /** Oldest first unless the query says otherwise. */
  list(query: ListQuery & { state?: JobState; kind?: string }): Promise<Page<JobView>>
  /** With the number of each change, in their order. */
  changedSince(change: number, filter: JobFilter): Promise<JobRow[]>
  /** Where `changedSince` begins for who wants news only; 0 without jobs. */
  latestChange(): Promise<number>
  changes: Pick<Changes, 'seen' | 'next'>
  /** How jobs of a kind are answered for after a crash; without it they have failed. */
  register(kind: string, recover: Recover | undefined): void
  /** Ends jobs that a crash interrupted as their operations ended; those with open ones follow later. */
  settle(options?: { olderThanSecs?: number }): Promise<void>
  /** To be told of every operation that was settled. */
  operationSettled(operation: OperationRow): Promise<void>
}

const KEEP_SECS = 30 * 86_400
const PER_READ = 200
/** Jobs that are open at a time, over all instances of the panel. */
const MAX_OPEN_OF_USER = 20
const MAX_OPEN = 200
const DETAIL_LENGTH = 500

const SETTLING = 'Finishing or undoing after an interruption'
const clip = (text: string): string => text.slice(0, DETAIL_LENGTH)

export const jobView = ({ change: _change, reseller_id: _reseller, ...row }: JobRow): JobView => row

export const createJobs = (
  deps: Pick<ServiceDeps, 'store' | 'clock' | 'log' | 'background' | 'judges' | 'instance'> & {
    notify: JobNotify
  },
): Jobs => {
  const { store, clock, log, background, instance } = deps
  const tellFailure = createTellFailure(deps)
  const kinds = new Map<string, Recover>()
  const changes =
    instance === undefined
      ? createChanges()
      : watchChanges(createChanges(), () => store.latestJobChange())
  const lanes = createJobLanes(deps.judges)
  /** Open jobs of this process. */
  const own = new Set<string>()
  const now = (): string => timestamp(clock.nowMs())

  const update = async (id: string, change: JobChange): Promise<void> => {
    await store.updateJob(id, change)
    changes.changed()
  }
  const done = (id: string, result: unknown): Promise<void> =>
    update(id, { state: 'done', progress: 100, result, status: 200, finished_at: now() })
  /** `user`: who started it, where that is known. */
  const failed = async (
    id: string,
    error: string,
    status: number,
    user: string | null,
  ): Promise<void> => {
    await update(id, { state: 'failed', error, status, finished_at: now() })
    await tellFailure(id, error, user)
  }

  const reportOf = (id: string) => {
    const writer = createJobWriter(
      (change) => update(id, change),
      (error) => log.warn('progress of a job not stored', { job: id, error: String(error) }),
    )
    const report = (step: string, detail?: string, percent?: number): void =>
      writer.put({
        step: clip(step),
        detail: detail === undefined ? null : clip(detail),
        ...(percent === undefined
          ? {}
          : { progress: Math.min(Math.max(Math.floor(percent), 0), 99) }),
      })
    return { writer, report: Object.assign(report, { jobId: id }) satisfies Report }
  }

  const run = async (
    id: string,
    user: string,
    work: (report: Report) => Promise<unknown>,
  ): Promise<void> => {
    const { writer, report } = reportOf(id)
    await update(id, { state: 'running', started_at: now() })
    try {
      const result = await work(report)
      await writer.settled()
      await done(id, result)
    } catch (error) {
      await writer.settled()
      if (isAppError(error)) return failed(id, error.message, error.status, user)
      const fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
      log.error('job failed', { job: id, error: fault })
      const known = diskFull(error, PANEL_DISK)
      await failed(id, known?.message ?? INTERNAL_ERROR, known?.status ?? 500, user)
    }
  }

  const settleJob = async (job: JobRow): Promise<void> => {
    const outcome = outcomeOf(job, await store.operationsOfJob(job.id))
    if (outcome === 'open') {
      if (job.step !== SETTLING) await update(job.id, { step: SETTLING, detail: null })
      return
    }
    if (typeof outcome !== 'string') return failed(job.id, outcome.error, 503, null)
    const recover = kinds.get(job.kind)
    if (recover === undefined) return failed(job.id, HALF_DONE, 503, null)
    try {
      await done(job.id, (await recover(job)) ?? null)
    } catch (error) {
      // Its operations were carried out, and what came of them is a failure.
      if (!isAppError(error)) throw error
      await failed(job.id, error.message, error.status, null)
    }
  }

  return {
    async start({ kind, subject, accountId, resellerId, user }, work) {
      const id = crypto.randomUUID()
      own.add(id)
      const row: Omit<JobRow, 'change'> = {
        id,
        kind,
        subject: clip(subject),
        account_id: accountId,
        reseller_id: resellerId,
        state: 'queued',
        progress: 0,
        step: null,
        detail: null,
        result: null,
        error: null,
        status: null,
        created_at: now(),
        started_at: null,
        finished_at: null,
      }
      const bounds = { startedBy: user, most: MAX_OPEN_OF_USER, mostOfAll: MAX_OPEN }
      let begun = false
      try {
        const deleteBefore = timestamp(clock.nowMs() - KEEP_SECS * 1000)
        begun = await store.insertJob(row, deleteBefore, { instance, bounds })
      } finally {
        if (!begun) own.delete(id)
      }
      if (!begun)
        throw new AppError(429, 'Too many jobs are open. Wait until some of them are done.', {
          headers: { 'retry-after': '10' },
        })
      changes.changed()
      background.run(`job ${kind}`, () =>
        lanes.run(user, () => run(id, user, work)).finally(() => own.delete(id)),
      )
      return id
    },
    async get(id, whose) {
      const [job] = await store.jobsChangedSince(-1, { ...whose, id }, 1)
      if (job === undefined) {
        throw notFound('Job not found. It may have been finished more than 30 days ago.')
      }
      return jobView(job)
    },
    async list(query) {
      const { rows, total } = await store.listJobs(query)
      return { rows: rows.map(jobView), total }
    },
    changedSince: (change, filter) => store.jobsChangedSince(change, filter, PER_READ),
    latestChange: () => store.latestJobChange(),
    changes,
    register(kind, recover) {
      if (recover !== undefined) kinds.set(kind, recover)
    },
    async settle({ olderThanSecs = 0 } = {}) {
      const latest = timestamp(clock.nowMs() - olderThanSecs * 1000)
      const alone = instance === undefined ? undefined : { instance, withinMs: DEAD_MS }
      for (const job of await store.unfinishedJobs(latest, alone)) {
        if (own.has(job.id)) continue
        await settleJob(job).catch((error: unknown) =>
          log.error('job not settled', { job: job.id, error: String(error) }),
        )
      }
    },
    async operationSettled({ data }) {
      const id = data['job_id']
      if (typeof id !== 'string' || own.has(id)) return
      const job = await store.jobById(id)
      if (job !== null && job.finished_at === null) await settleJob(job)
    },
  }
}
