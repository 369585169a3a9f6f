import type { PathsConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { RenewalReport } from '#handlers/services/certificates/certificates.ts'
import { isHeld } from '../../layout/recovery-files.ts'

/** Duties that two machines with the same records must not both have. */
export interface Duties {
  renewCertificates(): Promise<RenewalReport>
  goOnWithOrders(): Promise<Pick<RenewalReport, 'renewed' | 'errors'>>
  scheduledBackups(signal?: AbortSignal): Promise<void>
  tellOverdueBackups(): Promise<void>
  proveBackups(): Promise<void>
  dispatchEvents(): Promise<void>
  tellNotifications(): Promise<void>
  tickCron(): Promise<void>
  takePushes(): Promise<void>
}

/**
 * The same, but for what an import holds: as long as nobody said that this machine is
 * the live one they do nothing, each time anew, so that saying it needs no restart.
 */
export const heldDuties = (
  duties: Duties,
  paths: Pick<PathsConfig, 'state_dir'>,
  log: Log,
): Duties => {
  let toldOfCron = false
  const isLive = (duty: string): boolean => {
    if (!isHeld(paths)) return true
    log.warn('a duty waits until this machine is said to be the live one: berth panel live', {
      duty,
    })
    return false
  }
  return {
    renewCertificates: async () =>
      isLive('renewal of certificates')
        ? duties.renewCertificates()
        : { renewed: [], skipped: [], errors: [] },
    goOnWithOrders: async () =>
      isHeld(paths) ? { renewed: [], errors: [] } : duties.goOnWithOrders(),
    // Asked for every minute: telling of overdue ones logs often enough.
    scheduledBackups: async (signal) => {
      if (!isHeld(paths)) await duties.scheduledBackups(signal)
    },
    tellOverdueBackups: async () => {
      if (isLive('telling of overdue backups')) await duties.tellOverdueBackups()
    },
    proveBackups: async () => {
      if (isLive('proofs of backups')) await duties.proveBackups()
    },
    // Asked for every two seconds: nothing to log. What happens meanwhile is told later.
    dispatchEvents: async () => {
      if (!isHeld(paths)) await duties.dispatchEvents()
    },
    tellNotifications: async () => {
      if (!isHeld(paths)) await duties.tellNotifications()
    },
    // Asked for every two seconds; the host keeps what was pushed.
    takePushes: async () => {
      if (!isHeld(paths)) await duties.takePushes()
    },
    async tickCron() {
      // Asked every minute: said once is enough.
      if (!isHeld(paths)) return duties.tickCron()
      if (!toldOfCron) isLive('cron jobs')
      toldOfCron = true
    },
  }
}
