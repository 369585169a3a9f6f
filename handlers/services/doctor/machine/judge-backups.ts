import type { AccountRow, BackupRow, OperationRow } from '../../../ports/store/records.ts'
import { diagnosisOf, type Judgement, type MachineDiagnosis } from './judgement.ts'

/** What the panel's records say of backups. */
export interface BackupRecords {
  /** Whether backups of any account are made by themselves. */
  scheduled: boolean
  /** Ids of accounts whose backup is overdue by their schedule. */
  overdue: ReadonlySet<number>
  accounts: readonly Pick<AccountRow, 'id' | 'username' | 'status'>[]
  backups: readonly Pick<BackupRow, 'account_id' | 'location' | 'created_at'>[]
  /** Creations and copies that were undone lately. */
  failed: readonly Pick<OperationRow, 'data' | 'created_at'>[]
}

const NO_SCHEDULE =
  'no backups are made by themselves (no schedule is set, nor [backups] schedule), so that none can be overdue'

const newestOf = (rows: readonly { created_at: string }[]): string | null =>
  rows.reduce<string | null>(
    (newest, { created_at }) => (newest === null || created_at > newest ? created_at : newest),
    null,
  )

/** Accounts whose backup is overdue, or whose last one failed. */
export const judgeBackups = (records: BackupRecords): Judgement => {
  const { scheduled, overdue, accounts, backups, failed } = records
  const found: MachineDiagnosis[] = []
  for (const { id, username, status } of accounts) {
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
    if (!overdue.has(id)) continue
    found.push({
      kind: 'backup',
      subject: username,
      username,
      what: `has a backup that is overdue; ${since}`,
      fix: `See when it was due (berth schedules show ${username}), and in the panel's log what became of it. Make one now: berth backups create ${username}`,
    })
  }
  return {
    findings: found.map(diagnosisOf),
    skipped: !scheduled ? [{ check: 'backup', reason: NO_SCHEDULE }] : [],
  }
}
