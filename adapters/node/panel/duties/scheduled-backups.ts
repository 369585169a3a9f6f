import type { Log } from '#handlers/ports/log.ts'

const CHECK_MS = 60_000
/** Overdue is a matter of hours; a quarter of an hour more is nothing. */
const OVERDUE_CHECKS = 15

/**
 * Has the backups that are due made: what is due is decided each minute anew by the clock
 * and the records, so that neither a restart nor a jump of the clock repeats or loses one.
 * `tellOverdue` is called a few times an hour. After `stop` no other backup begins.
 */
export const startScheduledBackups = (
  runDue: (signal: AbortSignal) => Promise<void>,
  tellOverdue: () => Promise<void>,
  log: Log,
): { stop(): void } => {
  const stopped = new AbortController()
  let checks = 0
  const check = (): void => {
    if (++checks % OVERDUE_CHECKS === 0)
      void tellOverdue().catch((error: unknown) =>
        log.error('overdue backups were not told', { error: String(error) }),
      )
    void runDue(stopped.signal).catch((error: unknown) =>
      log.error('the scheduled backups failed', { error: String(error) }),
    )
  }
  const timer = setInterval(check, CHECK_MS)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      stopped.abort()
    },
  }
}
