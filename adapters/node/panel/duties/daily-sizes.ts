import type { Log } from '#handlers/ports/log.ts'

/** After a start, which has more important things to do. */
const FIRST_MS = 60_000
const CHECK_MS = 15 * 60_000

/** Asks `note` a few times an hour for what is not noted of the day; it knows itself what is. */
export const startDailySizes = (note: () => Promise<void>, log: Log): { stop(): void } => {
  const check = (): void =>
    void note().catch((error: unknown) => {
      log.error('sizes of databases were not noted', { error: String(error) })
    })
  const first = setTimeout(check, FIRST_MS).unref()
  const timer = setInterval(check, CHECK_MS).unref()
  return {
    stop() {
      clearTimeout(first)
      clearInterval(timer)
    },
  }
}
