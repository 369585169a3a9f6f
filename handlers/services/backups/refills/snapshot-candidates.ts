import { timestamp } from '../../../domain/text/timestamp.ts'
import { LOCAL } from '../../../ports/host/backups/backups.ts'
import type { AccountRow } from '../../../ports/store/records.ts'
import { doSnapshotWork } from '../snapshots/operations.ts'
import { reconcile } from '../snapshots/repositories.ts'
import { backupTurns, type BackupDeps } from '../creation.ts'
import { forgetPages } from '../../records/forget-pages.ts'
import { backupSubject } from '../operations.ts'
import type { Candidate } from './candidate.ts'

/** Snapshots of an account, also those that were made after the panel was exported; none without the engine. */
export const snapshotCandidates = async (
  deps: BackupDeps,
  account: AccountRow,
  from: string | null,
): Promise<Candidate[]> => {
  const { store, host, clock, log, journal } = deps
  const { id: accountId, username } = account
  if ((await host.of(account.host_id).snapshots.engine()).version === null) return []
  const inTurn = backupTurns(journal)
  const targets = await host.of(account.host_id).backups.targets()
  const places = [LOCAL, ...targets.map(({ name }) => name)]
  for (const location of places.filter((one) => from === null || one === from))
    try {
      await inTurn(username, () => reconcile(deps, { username, location }))
    } catch (error) {
      // Of this host's own repository nothing came along; a target may be away.
      log.warn('a repository was not looked at', { username, location, error: String(error) })
    }
  const { rows } = await store.listSnapshots({ accountId })
  return rows
    .filter(({ location }) => from === null || location === from)
    .map(({ id, location, created_at: at, databases, files, size_bytes: bytes }): Candidate => ({
      backup: id,
      at,
      open: async () => databases,
      restore: (parts, report) =>
        inTurn(username, async () => {
          const operationId = crypto.randomUUID()
          const place = { username, location, operationId, snapshotId: id }
          const work = { ...place, kind: 'restore' as const, parts, evenSuspended: true }
          await doSnapshotWork(host.of(account.host_id).snapshots, work, report)
          await store.insertEvent({
            at: timestamp(clock.nowMs()),
            ending: 'snapshot.restore:done',
            subject: backupSubject(username),
            data: { account_id: accountId, username, location, snapshot: id },
          })
          await forgetPages(deps, accountId)
          return { location, restored: { files, bytes } }
        }),
    }))
}
