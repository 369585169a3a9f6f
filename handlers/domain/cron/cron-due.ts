import { nextRuns, type CronSchedule } from './cron-schedule.ts'

const MINUTE_MS = 60_000
/** A run that is later than this is left out: the machine was off, or its clock was put forward. */
const LATE_MS = 5 * MINUTE_MS
/** A clock that goes back by more was wrong before; by less, e.g. corrected, no minute is run twice. */
const WRONG_CLOCK_MS = 3 * 3_600_000

/** What is to be done with a job now. */
export interface CronDue {
  /** The minute (unix ms) that it runs for; null: it does not run now. */
  runForMs: number | null
  /** When to look at it again; null: never. */
  nextMs: number | null
}

/**
 * Whether a job that is next due at `nextMs` runs at `nowMs`. What was missed while
 * nobody looked is left out, as cron(8) does; a clock that was put back repeats nothing
 * within three hours, and after a larger step the job goes by the clock as it is now.
 */
export const cronDue = (job: CronSchedule & { nextMs: number }, nowMs: number): CronDue => {
  const after = (fromMs: number): number | null => nextRuns(job, fromMs, 1)[0] ?? null
  if (job.nextMs > nowMs) {
    const byThisClock = after(nowMs)
    const wrong = byThisClock !== null && job.nextMs - byThisClock > WRONG_CLOCK_MS
    return { runForMs: null, nextMs: wrong ? byThisClock : job.nextMs }
  }
  // The latest of what came due within the last minutes runs, for all of it.
  const late = nextRuns(job, nowMs - LATE_MS, LATE_MS / MINUTE_MS + 1)
  const runForMs = late.filter((at) => at <= nowMs && at >= job.nextMs).at(-1) ?? null
  return { runForMs, nextMs: after(runForMs ?? nowMs) }
}
