import Database from 'better-sqlite3'

/** What went before with the scheduled backups of an account. */
export interface BackupPast {
  accountId: number
  /** How long ago account and schedule were made. */
  ageHours: number
  /** Why the last run failed, an hour ago; null: there was none. */
  error: string | null
}

/** Writes it straight into a store's file: nobody waits for a day in a test. */
export const makeBackupPast = (file: string, { accountId, ageHours, error }: BackupPast): void => {
  const db = new Database(file, { timeout: 5000 })
  try {
    const then = `datetime('now', '-${ageHours} hours')`
    db.prepare(`update accounts set created_at = ${then} where id = ?`).run(accountId)
    db.prepare(`update backup_schedules set updated_at = ${then}`).run()
    db.prepare('delete from backup_runs where account_id = ?').run(accountId)
    if (error !== null)
      db.prepare(
        `insert into backup_runs (account_id, what, started_at, ended_at, outcome, error, succeeded_at)
         values (?, 'archive', datetime('now', '-1 hours'), datetime('now', '-1 hours'), 'failed', ?, null)`,
      ).run(accountId, error)
  } finally {
    db.close()
  }
}
