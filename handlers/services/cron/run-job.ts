import { isPublishingCommand } from '../../domain/cron/publishing-commands.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { isAppError } from '../../errors.ts'
import type { CronProgram, CronRunState } from '../../ports/host/cron.ts'
import type { CronJobRow, CronOutcome, CronRunRow } from '../../ports/store/cron-store.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { effectivePhp } from '../virtual-hosts/virtual-hosts.ts'
import { CRON_FAILED } from './operations.ts'

/** Runs of a job that are kept. */
export const KEPT_RUNS = 20
/** The same of runs that were left out. */
export const KEPT_SKIPPED = 5

export type RunnerDeps = Pick<
  ServiceDeps,
  'store' | 'host' | 'clock' | 'log' | 'addresses' | 'background'
> & {
  journal: Journal
}

/** How a run ended. */
interface RunEnd {
  outcome: CronOutcome
  code: number | null
  output: string
}

/** Arguments of a job of kind `command`. */
export const argumentsOf = (command: string): string[] => JSON.parse(command) as string[]

const programOf = ({ kind, command }: CronJobRow): CronProgram =>
  kind === 'command'
    ? { kind: 'command', argv: argumentsOf(command) }
    : { kind: 'shell', line: command }

/** The words of a job as a person would write them, to look what they are about. */
const wordsOf = (job: CronJobRow): string =>
  job.kind === 'command' ? argumentsOf(job.command).join(' ') : job.command

const endOf = ({ state, code, ended, output }: CronRunState): RunEnd => {
  if (state === 'unknown') return { outcome: 'lost', code, output }
  if (ended === 'timeout') return { outcome: 'timeout', code, output }
  if (ended !== null) return { outcome: 'killed', code, output }
  return { outcome: code === 0 ? 'ok' : 'failed', code, output }
}

/** Outcomes that count as failures in a row; being ended by hand or a restart is none. */
const FAILURES: readonly CronOutcome[] = ['failed', 'timeout']

/** Runs jobs and writes down how they went. */
export const createRunJob = (deps: RunnerDeps) => {
  const { store, host, clock, log, journal } = deps
  const now = (): string => timestamp(clock.nowMs())
  const asking = new Map<string, AbortController>()
  /** Under way, and whether they were asked to end: also before the host was told to begin. */
  const under = new Map<string, { stopped: boolean }>()

  const namesOf = async (accountId: number): Promise<string[]> =>
    (await store.listDomains({ accountId })).rows.map((row) => row.domain_name)

  const askAddress = async (job: CronJobRow, run: CronRunRow): Promise<RunEnd> => {
    if (deps.addresses === undefined)
      return { outcome: 'failed', code: null, output: 'This panel cannot ask for addresses.' }
    const abort = new AbortController()
    asking.set(run.id, abort)
    if (under.get(run.id)?.stopped === true) abort.abort()
    try {
      const { status, body } = await deps.addresses.get(job.command, {
        timeoutMs: job.time_limit_secs * 1000,
        ownNames: await namesOf(job.account_id),
        signal: abort.signal,
      })
      // What leads elsewhere was answered, too; it is not followed.
      const outcome = status >= 200 && status < 400 ? 'ok' : 'failed'
      return { outcome, code: status, output: body }
    } catch (error) {
      const output = error instanceof Error ? error.message : String(error)
      const timedOut = error instanceof Error && error.name === 'TimeoutError'
      const outcome = abort.signal.aborted ? 'killed' : timedOut ? 'timeout' : 'failed'
      return { outcome, code: null, output }
    } finally {
      asking.delete(run.id)
    }
  }

  const runOnHost = async (job: CronJobRow, run: CronRunRow): Promise<RunEnd> => {
    const account = await store.accountById(job.account_id)
    if (account === null) return { outcome: 'lost', code: null, output: '' }
    const php = effectivePhp(account, await host.php.versions())
    if (under.get(run.id)?.stopped === true) return { outcome: 'killed', code: null, output: '' }
    await host.cron.start({
      runId: run.id,
      username: account.username,
      program: programOf(job),
      phpVersion: php?.version ?? null,
      timeZone: job.time_zone,
      timeLimitSecs: job.time_limit_secs,
    })
    if (under.get(run.id)?.stopped === true) await host.cron.stop({ runId: run.id })
    return follow(run.id)
  }
  const follow = async (runId: string): Promise<RunEnd> => {
    for (;;) {
      const state = await host.cron.wait({ runId })
      if (state.state !== 'running') return endOf(state)
    }
  }

  /** Visitors see at once what a job published. */
  const forgetPages = async (job: CronJobRow): Promise<void> => {
    if (!isPublishingCommand(wordsOf(job))) return
    const domains = await namesOf(job.account_id)
    if (domains.length === 0) return
    await host.webServer.purge({ domains }).catch((error: unknown) => {
      log.warn('pages were not purged after a job', { job: job.id, error: String(error) })
    })
  }

  const count = async (jobId: number, outcome: CronOutcome): Promise<void> => {
    const job = await store.cronJob(jobId)
    if (job === null) return
    if (outcome === 'ok' && job.failures > 0) await store.updateCronJob(jobId, { failures: 0 })
    if (!FAILURES.includes(outcome)) return
    const failures = job.failures + 1
    await store.updateCronJob(jobId, { failures })
    if (failures !== job.notify_after) return
    const account = await store.accountById(job.account_id)
    if (account === null) return
    const { id, username } = account
    const data = { account_id: id, username, job_id: jobId, name: job.name, failures }
    const operation = journal.newOperation(CRON_FAILED, `cron:${username}`, data)
    await store.openOperation(operation)
    await store.closeOperation(operation.id, 'done')
  }

  const finish = async (job: CronJobRow, run: CronRunRow, end: RunEnd): Promise<void> => {
    await forgetPages(job)
    await store.updateCronRun(run.id, { ...end, ended_at: now() })
    await store.trimCronRuns(job.id, KEPT_RUNS, KEPT_SKIPPED)
    await count(job.id, end.outcome)
  }

  return {
    /** Runs it to its end, whatever that is; never rejects for a job that fails. */
    async run(asked: CronJobRow, run: CronRunRow): Promise<void> {
      under.set(run.id, { stopped: false })
      // As it is now: it may have waited for its turn.
      const job = await store.cronJob(asked.id)
      if (job === null) return void under.delete(run.id)
      await store.updateCronRun(run.id, { outcome: 'running', started_at: now() })
      const end = await (job.kind === 'url' ? askAddress(job, run) : runOnHost(job, run)).catch(
        (error: unknown): RunEnd => {
          if (!isAppError(error))
            log.error('a job did not run', { job: job.id, error: String(error) })
          const output = isAppError(error)
            ? error.message
            : 'The host met an unexpected error. Its cause is in the panel log.'
          return { outcome: 'failed', code: null, output }
        },
      )
      under.delete(run.id)
      await finish(job, run, end)
    },
    /** Follows a run of an earlier panel, which the host may still run. */
    async takeUp(job: CronJobRow, run: CronRunRow): Promise<void> {
      const lost: RunEnd = { outcome: 'lost', code: null, output: '' }
      const onHost = job.kind !== 'url' && run.outcome === 'running'
      await finish(job, run, onHost ? await follow(run.id).catch(() => lost) : lost)
    },
    /** Ends a run that is under way, or about to be. */
    async stop(runId: string): Promise<void> {
      const run = under.get(runId)
      if (run !== undefined) run.stopped = true
      asking.get(runId)?.abort()
      await host.cron.stop({ runId })
    },
  }
}

export type RunJob = ReturnType<typeof createRunJob>
