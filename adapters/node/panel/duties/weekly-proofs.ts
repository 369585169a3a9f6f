import type { Log } from '#handlers/ports/log.ts'

const CHECK_MS = 15 * 60_000

/**
 * Asks `prove` a few times an hour for what is due; it knows itself what was proved when,
 * so a restart repeats nothing. It may take hours, and is not asked again meanwhile.
 */
export const startWeeklyProofs = (
  prove: () => Promise<void>,
  log: Log,
  everyMs = CHECK_MS,
): { stop(): void } => {
  let isProving = false
  const check = async (): Promise<void> => {
    if (isProving) return
    isProving = true
    try {
      await prove()
    } catch (error) {
      log.error('backups were not proved', { error: String(error) })
    } finally {
      isProving = false
    }
  }
  const timer = setInterval(() => void check(), everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
