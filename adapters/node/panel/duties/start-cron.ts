import type { Log } from '#handlers/ports/log.ts'

const MINUTE_MS = 60_000
/** Timers fire a little early now and then; the minute should have begun. */
const INTO_MINUTE_MS = 20

/** Calls `tick` at once and at the beginning of every minute, one call at a time. */
export const startCron = (tick: () => Promise<void>, log: Log): { stop(): void } => {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  const plan = (): void => {
    if (stopped) return
    const now = Date.now()
    const next = MINUTE_MS - (now % MINUTE_MS) + INTO_MINUTE_MS
    timer = setTimeout(() => void turn(), next)
    timer.unref()
  }
  const turn = async (): Promise<void> => {
    await tick().catch((error: unknown) =>
      log.error('cron jobs that are due could not be looked up', { error: String(error) }),
    )
    plan()
  }
  void turn()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
