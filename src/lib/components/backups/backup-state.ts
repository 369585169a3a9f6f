import { moment } from '../../format/time/time-zone.ts'
import type { BackupState } from '../../api/types.ts'
import { relativeTime } from '../../format/timestamp.ts'
import { texts } from '../../texts/index.ts'

/** An account whose backup failed or did not come, and what there is to say of it. */
export interface LackingBackup {
  account_id: number
  username: string
  /** Whether the last one failed; else it is overdue. */
  failed: boolean
  text: string
  /** Why it failed; '' where it did not. */
  error: string
  /** UTC, of the last good one, on hover. */
  title: string | undefined
}

/** The accounts that lack a backup, each once, those whose backup failed first. */
export const lackingBackups = (state: BackupState): LackingBackup[] => {
  const t = texts.backupState
  const newest = (at: string | null): string =>
    at === null ? t.noneYet : t.lastGood(relativeTime(at))
  const lacking = (
    row: { account_id: number; username: string },
    at: string | null,
    said: string,
    error: string,
  ): LackingBackup => ({
    account_id: row.account_id,
    username: row.username,
    failed: error !== '',
    text: `${said} ${newest(at)}`,
    error,
    title: at === null ? undefined : moment(at),
  })
  const failed = new Set(state.failed.map(({ account_id }) => account_id))
  return [
    ...state.failed.map((row) =>
      lacking(row, row.last_success_at, t.failed(relativeTime(row.at)), row.error),
    ),
    ...state.overdue
      .filter(({ account_id }) => !failed.has(account_id))
      .map((row) => lacking(row, row.newest_at, t.overdue, '')),
  ]
}
