import type { RestoredFiles } from '../../../ports/host/backups.ts'
import type { RestoreParts } from '../../../ports/host/restore-parts.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { BackedUpDatabase, BackupRow } from '../../../ports/store/records.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Restore } from '../restore.ts'

/** A backup that an account may be brought back from. */
export interface Candidate {
  /** An archive's name. */
  backup: string
  at: string
  databases: readonly BackedUpDatabase[]
  restore(
    parts: RestoreParts,
    report: Report | undefined,
  ): Promise<{ location: string; restored: RestoredFiles }>
}

/** Backups of an account that the panel knows, newest first; `from`: only copies there. */
export const candidatesOf = async (
  deps: { store: Store; restore: Restore },
  accountId: number,
  from: string | null,
): Promise<Candidate[]> => {
  const { rows } = await deps.store.listBackups({ accountId })
  const archives = new Map<string, BackupRow>()
  for (const row of rows)
    if (from === null || row.location === from) archives.set(row.filename, row)
  return [...archives.values()]
    .map(({ filename, created_at: at, databases }): Candidate => ({
      backup: filename,
      at,
      databases,
      async restore(parts, report) {
        const options = { parts, location: from, evenSuspended: true }
        const { row, restored } = await deps.restore(accountId, filename, options, report)
        return { location: row.location, restored }
      },
    }))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
}
