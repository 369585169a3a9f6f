import { timestamp } from '../../domain/text/timestamp.ts'
import type { CronJobRow, CronRunRow } from '../../ports/store/cron-store.ts'
import { KEPT_RUNS, KEPT_SKIPPED, type RunJob, type RunnerDeps } from './run-job.ts'
import { createSharedTurns } from './shared-turns.ts'

const ENDED_BEFORE = 'It was ended before its turn came.'

/** What runs of one job, and what waits for its end. */
interface Turn {
  running: CronRunRow
  waiting: { job: CronJobRow; run: CronRunRow } | null
}

/** Runs of jobs in their turns: as many as there may be at once, and one of a job, as it says. */
export const createCronTurns = (
  deps: Pick<RunnerDeps, 'store' | 'clock' | 'log' | 'background'>,
  runJob: RunJob,
) => {
  const { store, clock, log, background } = deps
  const turns = new Map<number, Turn>()
  const shared = createSharedTurns()

  const leaveOut = async (run: CronRunRow, why: string): Promise<void> => {
    const ended_at = timestamp(clock.nowMs())
    await store.updateCronRun(run.id, { outcome: 'skipped', ended_at, output: why })
    await store.trimCronRuns(run.job_id, KEPT_RUNS, KEPT_SKIPPED)
  }

  const begin = (job: CronJobRow, run: CronRunRow, work: () => Promise<void>): void => {
    turns.set(job.id, { running: run, waiting: null })
    // Behind the answer of whoever asked: it goes on when that is given.
    background.run(`cron job ${job.id}`, async () => {
      try {
        if (!(await shared.take(job.account_id, run.id, work))) await leaveOut(run, ENDED_BEFORE)
      } catch (error) {
        log.error('a run was not written down', { run: run.id, error: String(error) })
      }
      const waiting = turns.get(job.id)?.waiting ?? null
      turns.delete(job.id)
      if (waiting !== null)
        begin(waiting.job, waiting.run, () => runJob.run(waiting.job, waiting.run))
    })
  }

  return {
    /** Begins a recorded run, or does with it what the job says while another one runs. */
    async take(job: CronJobRow, run: CronRunRow): Promise<void> {
      const turn = turns.get(job.id)
      if (turn === undefined) return begin(job, run, () => runJob.run(job, run))
      if (job.overlap === 'skip' && !run.by_hand)
        return leaveOut(run, 'The run before had not ended.')
      if (turn.waiting !== null)
        return leaveOut(run, 'The run before had not ended, and another one waits for it.')
      turn.waiting = { job, run }
      if (job.overlap === 'kill' && !shared.drop(turn.running.id))
        await runJob.stop(job, turn.running.id)
    },
    /** Takes up what an earlier panel left. */
    takeUp(job: CronJobRow, run: CronRunRow): void {
      begin(job, run, () => runJob.takeUp(job, run))
    },
    /** Leaves out a run that waits for its turn; false where it does not. */
    async drop(run: CronRunRow): Promise<boolean> {
      if (shared.drop(run.id)) return true
      const turn = turns.get(run.job_id)
      if (turn?.waiting?.run.id !== run.id) return false
      turn.waiting = null
      await leaveOut(run, ENDED_BEFORE)
      return true
    },
  }
}
