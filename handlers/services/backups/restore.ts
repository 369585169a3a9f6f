import { timestamp } from '../../domain/text/timestamp.ts'
import { notFound } from '../../errors.ts'
import type { RestoredFiles } from '../../ports/host/backups/backups.ts'
import type { RestoreParts } from '../../ports/host/backups/restore-parts.ts'
import type { Report } from '../../ports/jobs.ts'
import type { BackupRow } from '../../ports/store/records.ts'
import {
  ACCOUNT_NOT_FOUND,
  requireActiveAccount,
  requireSettledAccount,
} from '../records/lookup.ts'
import { createBackupCopies } from './copies.ts'
import { backupTurns } from './creation.ts'
import type { BackupDeps } from './creation.ts'
import { forgetPages } from '../records/forget-pages.ts'
import { backupSubject } from './operations.ts'
import { doRestore } from './work.ts'

export interface RestoreOptions {
  parts: RestoreParts
  /** Null: the local copy, or where that is gone or damaged one at a target. */
  location: string | null
  /** Also into an account that is suspended; default: 409. */
  evenSuspended?: boolean
}

/** Restores backups into the account that they are of; answers the copy that served, and how much it held. */
export const createRestore = (deps: BackupDeps) => {
  const { store, host, clock, journal } = deps
  const copies = createBackupCopies(deps)
  const inTurn = backupTurns(journal)

  return async (
    accountId: number,
    filename: string,
    { parts, location, evenSuspended = false }: RestoreOptions,
    report?: Report,
  ): Promise<{ row: BackupRow; restored: RestoredFiles }> => {
    const find = evenSuspended ? requireSettledAccount : requireActiveAccount
    const account = await find(store, accountId)
    await copies.at(accountId, filename, location)
    return inTurn(account.username, async () => {
      const rows = await copies.at(accountId, filename, location)
      const done = await copies.fromAny(rows, async (row) => {
        const { username, sha256, size_bytes: sizeBytes } = row
        if (username !== account.username) throw notFound(ACCOUNT_NOT_FOUND)
        const operationId = crypto.randomUUID()
        const copy = { username, filename, location: row.location, sha256, sizeBytes }
        const restored = await doRestore(
          host.of(account.host_id).backups,
          {
            operationId,
            kind: 'restore',
            parts,
            ...copy,
            ...(evenSuspended ? { evenSuspended } : {}),
          },
          report,
        )
        return { row, restored }
      })
      await store.insertEvent({
        at: timestamp(clock.nowMs()),
        ending: 'backup.restore:done',
        subject: backupSubject(done.row.username),
        data: { account_id: accountId, filename, location: done.row.location },
      })
      await forgetPages(deps, accountId)
      return done
    })
  }
}

export type Restore = ReturnType<typeof createRestore>
