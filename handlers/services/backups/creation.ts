import { backupName } from '../../domain/backups/backup-name.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { isAppError, unavailable } from '../../errors.ts'
import { LOCAL } from '../../ports/host/backups/backups.ts'
import type { Report } from '../../ports/jobs.ts'
import type { AccountRow, BackupRow } from '../../ports/store/records.ts'
import { requireSettledAccount } from '../records/lookup.ts'
import { accountRecord } from './account-record.ts'
import { assertBackupRoom } from './assert-room.ts'
import type { BackupData } from './operations.ts'
import { BACKUP_CREATE, BACKUP_UPLOAD, backupSubject } from './operations.ts'
import { doBackupWork } from './work.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'

export type BackupDeps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log' | 'recovery'> & {
  journal: Journal
}

/** How a backup is made. */
export interface BackUpOptions {
  report: Report | undefined
  /** Copies that the account may have on this host, else 403; null: any number. */
  limit: number | null
  /** Whether the schedule asks; default false. */
  scheduled?: boolean
}

/** Everything about the backups of one account in turn. A target that is down must not keep the account from being backed up. */
export const backupTurns =
  (journal: Journal) =>
  <T>(username: string, work: () => Promise<T>): Promise<T> =>
    journal.exclusively(backupSubject(username), work, ({ kind }) =>
      kind === BACKUP_CREATE ? 'refuse' : 'leave',
    )

/**
 * Makes a backup of an account and a copy at each target; answers the last of them. What
 * was made is recorded only when the host has read it back; when a copy fails (503) the
 * local backup and the other copies stay.
 */
export const createBackUp = (deps: BackupDeps) => {
  const { store, host, clock, journal } = deps
  const inTurn = backupTurns(journal)

  /** A name that no backup has: two in one second would share it. */
  const freshName = async (account: AccountRow): Promise<{ filename: string; ms: number }> => {
    const { rows } = await store.listBackups({ accountId: account.id })
    let ms = clock.nowMs()
    while (rows.some(({ filename }) => filename === backupName(account.username, ms))) ms += 1000
    return { filename: backupName(account.username, ms), ms }
  }

  const make = async (
    account: AccountRow,
    { report, scheduled = false }: BackUpOptions,
  ): Promise<BackupRow> => {
    const { filename, ms } = await freshName(account)
    const data = {
      account_id: account.id,
      host_id: account.host_id,
      username: account.username,
      filename,
      location: LOCAL,
    }
    const subject = backupSubject(account.username)
    const operation = journal.newOperation(BACKUP_CREATE, subject, data, report)
    await store.openOperation(operation)
    let row: BackupRow | undefined
    const archive = async (): Promise<void> => {
      const facts = await doBackupWork(
        host.of(account.host_id).backups,
        {
          operationId: operation.id,
          kind: 'create',
          username: account.username,
          filename,
          gently: scheduled,
          ...(await accountRecord(store, await requireSettledAccount(store, account.id))),
        },
        report,
      )
      if (facts === null) throw new Error('the host made a backup and told nothing of it')
      const { sizeBytes, sha256, databases, skipped, skippedPaths } = facts
      row = {
        ...data,
        size_bytes: sizeBytes,
        sha256,
        databases,
        skipped,
        skipped_paths: skippedPaths,
        scheduled,
        created_at: timestamp(ms),
      }
    }
    const record = async (): Promise<void> => {
      if (row) await store.putBackup(row)
    }
    await journal.create(operation, [
      { name: 'archive', run: archive },
      { name: 'record', run: record },
    ])
    if (!row) throw new Error('a backup without a record')
    return row
  }

  const copyTo = async (row: BackupRow, location: string, report?: Report): Promise<BackupRow> => {
    const { account_id, host_id, username, filename, sha256, size_bytes } = row
    const data: BackupData = { account_id, host_id, username, filename, location }
    const operation = journal.newOperation(BACKUP_UPLOAD, backupSubject(username), data, report)
    await store.openOperation(operation)
    const copy = { ...row, location }
    const work = { username, filename, location, sha256, sizeBytes: size_bytes }
    await journal.create(operation, [
      {
        name: 'upload',
        async run() {
          const asked = { ...work, operationId: operation.id, kind: 'upload' as const }
          await doBackupWork(host.of(row.host_id).backups, asked, report)
        },
      },
      { name: 'record', run: () => store.putBackup(copy) },
    ])
    return copy
  }

  const backUp = (
    account: AccountRow,
    targets: readonly string[],
    how: BackUpOptions,
  ): Promise<BackupRow> =>
    inTurn(account.username, async () => {
      const { report, limit } = how
      // In the account's turn, so that no second creation comes between this and the record.
      if (limit !== null) await assertBackupRoom(store, account, limit)
      const row = await make(account, how)
      let last = row
      const failures: unknown[] = []
      for (const target of targets)
        try {
          last = await copyTo(row, target, report)
        } catch (error) {
          failures.push(error)
        }
      if (failures.length === 0) return last
      const why = failures.map((error) =>
        isAppError(error) ? error.message : 'See the panel log.',
      )
      throw unavailable(
        `The backup ${row.filename} was made and is kept on this host, but its copy failed. ${[...new Set(why)].join(' ')}`,
        failures[0],
      )
    })
  return { backUp }
}
