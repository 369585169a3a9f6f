import { backupName } from '../../domain/backups/backup-name.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { LOCAL } from '../../ports/host/backups/backups.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import { SNAPSHOT_CREATE } from './snapshots/operations.ts'
import type { BackupDeps } from './creation.ts'
import { BACKUP_CREATE, BACKUP_UPLOAD, backupSubject, type BackupData } from './operations.ts'

/** Notes the end of an operation that did nothing: it is an event, and a finding of the doctor. */
export const noteEnd = async (
  { store, journal }: Pick<BackupDeps, 'store' | 'journal'>,
  kind: string,
  account: AccountRow,
  state: 'done' | 'undone',
  more: Partial<BackupData>,
): Promise<void> => {
  const { id, username } = account
  const data = { account_id: id, username, location: LOCAL, ...more }
  const operation = journal.newOperation(kind, backupSubject(username), data)
  await store.openOperation(operation)
  await store.closeOperation(operation.id, state)
}

/** Notes that an account's scheduled backup failed, unless its operation has said so already. */
export const noteFailure = async (
  deps: BackupDeps,
  account: AccountRow,
  sinceMs: number,
): Promise<void> => {
  const kinds = [BACKUP_CREATE, BACKUP_UPLOAD, SNAPSHOT_CREATE]
  const noted = await deps.store.endedOperations('undone', kinds, timestamp(sinceMs))
  if (noted.some(({ subject }) => subject === backupSubject(account.username))) return
  const filename = backupName(account.username, deps.clock.nowMs())
  await noteEnd(deps, BACKUP_CREATE, account, 'undone', { filename })
}
