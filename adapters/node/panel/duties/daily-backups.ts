import type { BackupsConfig } from '#handlers/domain/config/config-types.ts'
import { backupsDueSince } from '#handlers/domain/backups/schedule.ts'
import type { Log } from '#handlers/ports/log.ts'

const CHECK_MS = 60_000
/** Overdue is a matter of a day and a half; a quarter of an hour more is nothing. */
const OVERDUE_CHECKS = 15

/**
 * Runs `backUp` once a day, from the hour of the configuration on; accounts that
 * have a backup since then are left out by it, so a restart repeats nothing.
 * `tellOverdue` is called a few times an hour.
 */
export const startDailyBackups = (
  config: BackupsConfig,
  backUp: (sinceMs: number, retentionDays: number) => Promise<void>,
  tellOverdue: () => Promise<void>,
  log: Log,
): { stop(): void } => {
  let done = 0
  let checks = 0
  const check = async (): Promise<void> => {
    if (++checks % OVERDUE_CHECKS === 0)
      void tellOverdue().catch((error: unknown) =>
        log.error('overdue backups were not told', { error: String(error) }),
      )
    const since = backupsDueSince(config.schedule, Date.now())
    if (since === null || since === done) return
    done = since
    try {
      await backUp(since, config.retention_days)
    } catch (error) {
      log.error('the daily backups failed', { error: String(error) })
    }
  }
  if (config.schedule === null) return { stop: () => undefined }
  const timer = setInterval(() => void check(), CHECK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
