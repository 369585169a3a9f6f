import { isBackupOverdue } from '../../../domain/backups/overdue.ts'
import type { AccountRow, BackupRow, OperationRow } from '../../../ports/store/records.ts'
import { diagnosisOf, type Judgement, type MachineDiagnosis } from './judgement.ts'

/** What the panel's records say of backups. */
export interface BackupRecords {
  /** Hour of the day, UTC, in which accounts are backed up by themselves; null: never. */
  schedule: number | null
  accounts: readonly Pick<AccountRow, 'id' | 'username' | 'status' | 'created_at'>[]
  backups: readonly Pick<BackupRow, 'account_id' | 'location' | 'created_at'>[]
  /** Creations and copies that were undone lately. */
  failed: readonly Pick<OperationRow, 'data' | 'created_at'>[]
}

const NO_SCHEDULE =
  'no backups are made by themselves ([backups] schedule is not set), so that none can be overdue'

const newestOf = (rows: readonly { created_at: string }[]): string | null =>
  rows.reduce<string | null>(
    (newest, { created_at }) => (newest === null || created_at > newest ? created_at : newest),
    null,
  )

/** Accounts whose backup is overdue, or whose last one failed. */
export const judgeBackups = (records: BackupRecords, nowMs: number): Judgement => {
  const { schedule, accounts, backups, failed } = records
  const found: MachineDiagnosis[] = []
  for (const { id, username, status, created_at } of accounts) {
    if (status !== 'active' && status !== 'suspended') continue
    const own = backups.filter(({ account_id }) => account_id === id)
    const newest = newestOf(own)
    const since = newest === null ? 'there is none' : `the newest is of ${newest}`
    for (const location of new Set(failed.map(({ data }) => data['location']))) {
      const at = newestOf(
        failed.filter(({ data }) => data['account_id'] === id && data['location'] === location),
      )
      const made = newestOf(own.filter((row) => row.location === location))
      if (at === null || (made !== null && made >= at)) continue
      found.push({
        kind: 'backup',
        subject: username,
        username,
        what: `has a backup that failed at ${at}${location === 'local' ? '' : ` on its way to ${String(location)}`}; ${since}`,
        fix: `The panel's log says why (berth logs show panel). Then try again: berth backups create ${username}`,
      })
    }
    if (schedule === null || !isBackupOverdue({ newest, accountSince: created_at }, nowMs)) continue
    found.push({
      kind: 'backup',
      subject: username,
      username,
      what: `has a backup that is overdue; ${since}`,
      fix: `See whether the panel ran at ${schedule}:00 UTC, and in its log what became of it. Make one now: berth backups create ${username}`,
    })
  }
  return {
    findings: found.map(diagnosisOf),
    skipped: schedule === null ? [{ check: 'backup', reason: NO_SCHEDULE }] : [],
  }
}
