import { planLimitReached } from '../../domain/accounts/plan.ts'
import { cronDue } from '../../domain/cron/cron-due.ts'
import { nextRuns, type CronSchedule } from '../../domain/cron/cron-schedule.ts'
import { timestamp, timestampMs } from '../../domain/text/timestamp.ts'
import { notFound } from '../../errors.ts'
import type {
  CronJobRow,
  CronRunRow,
  CronSettings,
  ListedCronJob,
} from '../../ports/store/cron-store.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import {
  planOf,
  requireAccount,
  requireActiveAccount,
  requireSettledAccount,
} from '../records/lookup.ts'
import { createCronTurns } from './cron-turns.ts'
import { createRunJob, type RunnerDeps } from './run-job.ts'

/** How far a job's time may lie ahead before it is looked at whether the clock was wrong. */
const FAR_SECS = 3 * 3600

/** Cron jobs of accounts. 404 for an account, job or run that is not there. */
export interface Cron {
  /** Of one account, or of all. */
  list(accountId: number | null, query: ListQuery): Promise<Page<ListedCronJob>>
  get(accountId: number, id: number): Promise<CronJobRow>
  /** `bounded`: 403 where the account has as many as its plan allows. */
  create(accountId: number, settings: CronSettings, bounded: boolean): Promise<CronJobRow>
  change(accountId: number, id: number, settings: Partial<CronSettings>): Promise<CronJobRow>
  remove(accountId: number, id: number): Promise<void>
  /** Newest first; at most those that are kept. */
  runs(accountId: number, id: number): Promise<CronRunRow[]>
  /** Runs it now, whether it is on or not; 409 for a suspended account. Answers the run that began. */
  runNow(accountId: number, id: number): Promise<CronRunRow>
  /** Ends a run; one that has ended is no error. */
  stopRun(accountId: number, id: number, runId: string): Promise<void>
  /** Begins what is due. Called every minute or more often. */
  tick(): Promise<void>
  /** Takes up runs that an earlier panel left. Once, before the first `tick`. */
  takeUp(): Promise<void>
  /** Unix ms of the next runs of a schedule, at most `count`. */
  preview(schedule: CronSchedule, count: number): number[]
}

const NO_JOB = 'No such cron job. List the cron jobs of the account to see which there are.'

/** Cron jobs by the store's records, run by the host. */
export const createCron = (deps: RunnerDeps): Cron => {
  const { store, clock } = deps
  const runJob = createRunJob(deps)
  const turns = createCronTurns(deps, runJob)
  const now = (): string => timestamp(clock.nowMs())

  const require = async (accountId: number, id: number): Promise<CronJobRow> => {
    const job = await store.cronJob(id)
    if (job === null || job.account_id !== accountId) throw notFound(NO_JOB)
    return job
  }
  const nextAt = (job: CronSettings): string | null => {
    if (!job.enabled) return null
    const [next] = nextRuns({ ...job, timeZone: job.time_zone }, clock.nowMs(), 1)
    return next === undefined ? null : timestamp(next)
  }
  const newRun = (job: CronJobRow, dueAt: string, byHand: boolean): CronRunRow => ({
    id: crypto.randomUUID(),
    job_id: job.id,
    due_at: dueAt,
    by_hand: byHand,
    started_at: null,
    ended_at: null,
    outcome: 'queued',
    code: null,
    output: '',
  })

  const look = async (job: CronJobRow): Promise<void> => {
    if (job.next_at === null) return
    const schedule = { schedule: job.schedule, timeZone: job.time_zone }
    const due = cronDue({ ...schedule, nextMs: timestampMs(job.next_at) }, clock.nowMs())
    const next = due.nextMs === null ? null : timestamp(due.nextMs)
    if (due.runForMs === null) {
      if (next !== job.next_at) await store.updateCronJob(job.id, { next_at: next })
      return
    }
    const run = newRun(job, timestamp(due.runForMs), false)
    if (await store.beginCronRun(run, next)) await turns.take(job, run)
  }

  return {
    async list(accountId, query) {
      if (accountId === null) return store.listCronJobs(query)
      await requireAccount(store, accountId)
      return store.listCronJobs({ ...query, accountId })
    },
    get: require,
    async create(accountId, settings, bounded) {
      const account = await requireSettledAccount(store, accountId)
      const limit = bounded ? (await planOf(store, account)).cron_jobs_limit : null
      const made = await store.insertCronJob(
        {
          ...settings,
          account_id: accountId,
          next_at: nextAt(settings),
          failures: 0,
          created_at: now(),
          updated_at: now(),
        },
        limit,
      )
      if (made !== 'limit') return made
      const { cron_jobs: used } = await store.accountUsage(accountId)
      throw planLimitReached(account, 'cron jobs', used, limit ?? used)
    },
    async change(accountId, id, settings) {
      const job = await require(accountId, id)
      const changed = { ...job, ...settings }
      const sameTime = (['schedule', 'time_zone', 'enabled'] as const).every(
        (name) => job[name] === changed[name],
      )
      await store.updateCronJob(id, {
        ...settings,
        ...(sameTime ? {} : { next_at: nextAt(changed) }),
        failures: 0,
        updated_at: now(),
      })
      return require(accountId, id)
    },
    async remove(accountId, id) {
      const job = await require(accountId, id)
      const open = (await store.listCronRuns(id)).filter(({ ended_at }) => ended_at === null)
      await store.deleteCronJob(id)
      for (const run of open) await runJob.stop(job, run.id)
    },
    async runs(accountId, id) {
      await require(accountId, id)
      return store.listCronRuns(id)
    },
    async runNow(accountId, id) {
      await requireActiveAccount(store, accountId)
      const job = await require(accountId, id)
      const run = newRun(job, now(), true)
      if (!(await store.beginCronRun(run, undefined))) throw notFound(NO_JOB)
      await turns.take(job, run)
      return run
    },
    async stopRun(accountId, id, runId) {
      const job = await require(accountId, id)
      const run = (await store.listCronRuns(id)).find((one) => one.id === runId)
      if (run === undefined) throw notFound('No such run of this job. Only the last runs are kept.')
      if (run.ended_at === null && !(await turns.drop(run))) await runJob.stop(job, runId)
    },
    async tick() {
      const far = timestamp(clock.nowMs() + FAR_SECS * 1000)
      for (const job of await store.dueCronJobs(now(), far))
        // What is wrong with one job, or with ending its last run, keeps no other one waiting.
        await look(job).catch((error: unknown) =>
          deps.log.error('a job that is due was not begun', { job: job.id, error: String(error) }),
        )
    },
    async takeUp() {
      for (const run of await store.openCronRuns()) {
        const job = await store.cronJob(run.job_id)
        if (job === null) continue
        if (run.outcome === 'running') turns.takeUp(job, run)
        else await store.updateCronRun(run.id, { outcome: 'lost', ended_at: now() })
      }
    },
    preview: (schedule, count) => nextRuns(schedule, clock.nowMs(), count),
  }
}
