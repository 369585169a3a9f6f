import type { HostPorts } from '../../ports/host/host.ts'
import { isPublishingCommand } from '../../domain/cron/publishing-commands.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { isAppError } from '../../errors.ts'
import type { CronProgram, CronRunState } from '../../ports/host/cron.ts'
import type { CronJobRow, CronOutcome, CronRunRow } from '../../ports/store/cron-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import { forgetPages } from '../records/forget-pages.ts'

/** Runs of a job that are kept. */
export const KEPT_RUNS = 20
/** The same of runs that were left out. */
export const KEPT_SKIPPED = 5

export type RunnerDeps = Pick<
  ServiceDeps,
  'store' | 'host' | 'clock' | 'log' | 'addresses' | 'background'
>

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

/**
 * Whether a run under way was asked to end, maybe before the host was told to begin. Not an abort signal: the
 * request that asks is not the one that runs, and on workers neither may use what the other made.
 */
interface Stop {
  asked: boolean
  /** Ends the question to an address, while there is one. */
  abort?: () => void
}

/** Runs jobs and writes down how they went. */
export const createRunJob = (deps: RunnerDeps) => {
  const { store, host, clock, log } = deps
  const now = (): string => timestamp(clock.nowMs())
  const stops = new Map<string, Stop>()

  const askAddress = async (job: CronJobRow, stop: Stop): Promise<RunEnd> => {
    if (deps.addresses === undefined)
      return { outcome: 'failed', code: null, output: 'This panel cannot ask for addresses.' }
    // The host looks itself before it runs a program; here nobody else would.
    await requireActiveAccount(store, job.account_id)
    const domains = (await store.listDomains({ accountId: job.account_id })).rows
    const asking = new AbortController()
    stop.abort = () => asking.abort()
    if (stop.asked) asking.abort()
    try {
      const { status, body } = await deps.addresses.get(job.command, {
        timeoutMs: job.time_limit_secs * 1000,
        ownNames: domains.map((row) => row.domain_name),
        signal: asking.signal,
      })
      // What leads elsewhere was answered, too; it is not followed.
      const outcome = status >= 200 && status < 400 ? 'ok' : 'failed'
      return { outcome, code: status, output: body }
    } catch (error) {
      const output = error instanceof Error ? error.message : String(error)
      const timedOut = error instanceof Error && error.name === 'TimeoutError'
      const outcome = stop.asked ? 'killed' : timedOut ? 'timeout' : 'failed'
      return { outcome, code: null, output }
    }
  }

  const runOnHost = async (job: CronJobRow, run: CronRunRow, stop: Stop): Promise<RunEnd> => {
    const account = await store.accountById(job.account_id)
    if (account === null) return { outcome: 'lost', code: null, output: '' }
    if (stop.asked) return { outcome: 'killed', code: null, output: '' }
    await host.cron.start({
      runId: run.id,
      username: account.username,
      program: programOf(job),
      phpVersion: account.php_version,
      timeZone: job.time_zone,
      timeLimitSecs: job.time_limit_secs,
    })
    // Asked for while the host was being told.
    const { cron } = host.of(account.host_id)
    if (stop.asked) await cron.stop({ runId: run.id })
    return follow(cron, run.id)
  }
  const follow = async (cron: HostPorts['cron'], runId: string): Promise<RunEnd> => {
    for (;;) {
      const state = await cron.wait({ runId })
      if (state.state !== 'running') return endOf(state)
    }
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
    await store.insertEvent({
      at: now(),
      ending: 'cron.failed:done',
      subject: `cron:${username}`,
      data: { account_id: id, username, job_id: jobId, failures },
    })
  }

  const finish = async (job: CronJobRow, run: CronRunRow, end: RunEnd): Promise<void> => {
    if (isPublishingCommand(wordsOf(job))) await forgetPages(deps, job.account_id)
    await store.updateCronRun(run.id, { ...end, ended_at: now() })
    await store.trimCronRuns(job.id, KEPT_RUNS, KEPT_SKIPPED)
    await count(job.id, end.outcome)
  }

  return {
    /** Runs it to its end, whatever that is; never rejects for a job that fails. */
    async run(asked: CronJobRow, run: CronRunRow): Promise<void> {
      const stop: Stop = { asked: false }
      stops.set(run.id, stop)
      // As it is now: it may have waited for its turn.
      const job = await store.cronJob(asked.id)
      if (job === null) return void stops.delete(run.id)
      await store.updateCronRun(run.id, { outcome: 'running', started_at: now() })
      const ran = job.kind === 'url' ? askAddress(job, stop) : runOnHost(job, run, stop)
      const end = await ran.catch((error: unknown): RunEnd => {
        if (!isAppError(error))
          log.error('a job did not run', { job: job.id, error: String(error) })
        const output = isAppError(error)
          ? error.message
          : 'The host met an unexpected error. Its cause is in the panel log.'
        return { outcome: 'failed', code: null, output }
      })
      stops.delete(run.id)
      await finish(job, run, end)
    },
    /** Follows a run of an earlier panel, which the host may still run. */
    async takeUp(job: CronJobRow, run: CronRunRow): Promise<void> {
      const lost: RunEnd = { outcome: 'lost', code: null, output: '' }
      const onHost = job.kind !== 'url' && run.outcome === 'running'
      const account = onHost ? await store.accountById(job.account_id) : null
      const end =
        account === null
          ? lost
          : await follow(host.of(account.host_id).cron, run.id).catch(() => lost)
      await finish(job, run, end)
    },
    /** Ends a run that is under way, or about to be. */
    async stop({ account_id }: Pick<CronJobRow, 'account_id'>, runId: string): Promise<void> {
      const stop = stops.get(runId)
      if (stop !== undefined) {
        stop.asked = true
        stop.abort?.()
      }
      const account = await store.accountById(account_id)
      if (account !== null) await host.of(account.host_id).cron.stop({ runId })
    },
  }
}

export type RunJob = ReturnType<typeof createRunJob>
