import { backupName } from '../../domain/backups/backup-name.ts'
import { isBackupOverdue } from '../../domain/backups/overdue.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { LOCAL } from '../../ports/host/backups.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { BackupDeps } from './creation.ts'
import {
  BACKUP_CREATE,
  BACKUP_OVERDUE,
  BACKUP_UPLOAD,
  backupSubject,
  type BackupData,
} from './operations.ts'

/** What the schedule has to say besides its backups. */
export interface BackupReports {
  /** Notes that an account's scheduled backup failed, unless its operation has said so already. */
  failed(account: AccountRow, sinceMs: number): Promise<void>
  /** Tells of every account whose backup is overdue, once until it has a newer one. */
  tellOverdue(): Promise<void>
}

/** Failures and absences of backups as ends of operations, which are events and findings of the doctor. */
export const createBackupReports = ({ store, clock, journal }: BackupDeps): BackupReports => {
  const note = async (
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

  return {
    async failed(account, sinceMs) {
      const kinds = [BACKUP_CREATE, BACKUP_UPLOAD]
      const noted = await store.endedOperations('undone', kinds, timestamp(sinceMs))
      if (noted.some(({ subject }) => subject === backupSubject(account.username))) return
      const filename = backupName(account.username, clock.nowMs())
      await note(BACKUP_CREATE, account, 'undone', { filename })
    },
    async tellOverdue() {
      for (const account of (await store.listAccounts()).rows) {
        if (account.status !== 'active' && account.status !== 'suspended') continue
        const { rows } = await store.listBackups({ accountId: account.id })
        const times = rows.map(({ created_at }) => created_at).sort()
        const newest = times.at(-1) ?? null
        const accountSince = account.created_at
        if (!isBackupOverdue({ newest, accountSince }, clock.nowMs())) continue
        const told = await store.endedOperations('done', [BACKUP_OVERDUE], newest ?? accountSince)
        if (told.some(({ subject }) => subject === backupSubject(account.username))) continue
        await note(BACKUP_OVERDUE, account, 'done', {})
      }
    },
  }
}
