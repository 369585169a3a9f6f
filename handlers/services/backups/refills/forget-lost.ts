import { LOCAL } from '../../../ports/host/backups/backups.ts'
import { reconcile } from '../snapshots/repositories.ts'
import type { ServiceDeps } from '../../service-deps.ts'

/**
 * Forgets what the machine that was exported had on its own disk, of accounts that have
 * been brought back: records of copies that are not here count against plans and mislead.
 */
export const forgetLost = async (
  { store, host, log }: Pick<ServiceDeps, 'store' | 'host' | 'log'>,
  accounts: ReadonlySet<number>,
  importedAt: string,
): Promise<void> => {
  const here = new Set(
    (await host.local.inspection.inspect()).backups.map(({ filename }) => filename),
  )
  for (const { account_id: id, filename, location, created_at: at } of (await store.listBackups())
    .rows)
    if (accounts.has(id) && location === LOCAL && at <= importedAt && !here.has(filename))
      await store.deleteBackup(filename, LOCAL)
  const snapshots = (await store.listSnapshots({ filters: { location: LOCAL } })).rows.filter(
    ({ account_id: id, created_at: at }) => accounts.has(id) && at <= importedAt,
  )
  for (const username of new Set(snapshots.map((row) => row.username))) {
    const ids = snapshots.filter((row) => row.username === username).map(({ id }) => id)
    try {
      await reconcile({ store, host }, { username, location: LOCAL }, ids)
    } catch (error) {
      log.warn('records of snapshots were left', { username, error: String(error) })
    }
  }
}
