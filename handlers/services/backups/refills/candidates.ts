import type { AccountRow, BackupRow } from '../../../ports/store/records.ts'
import type { BackupDeps } from '../creation.ts'
import type { Restore } from '../restore.ts'
import type { Candidate } from './candidate.ts'
import type { FoundAtTargets } from './found-archives.ts'
import { adopt, unknownOf } from './found-archives.ts'
import { snapshotCandidates } from './snapshot-candidates.ts'

export interface CandidateDeps extends BackupDeps {
  restore: Restore
}

/**
 * Backups of an account, newest first: archives that the panel knows, those at targets
 * that were made after it was exported, and snapshots. `from`: only copies there.
 */
export const candidatesOf = async (
  deps: CandidateDeps,
  account: AccountRow,
  from: string | null,
  found: FoundAtTargets,
): Promise<Candidate[]> => {
  const { rows } = await deps.store.listBackups({ accountId: account.id })
  const archives = new Map<string, BackupRow>()
  for (const row of rows)
    if (from === null || row.location === from) archives.set(row.filename, row)

  const restoring =
    (filename: string, location: string | null): Candidate['restore'] =>
    async (parts, report) => {
      const options = { parts, location, evenSuspended: true }
      const { row, restored } = await deps.restore(account.id, filename, options, report)
      return { location: row.location, restored }
    }
  const known = [...archives.values()].map(
    ({ filename, created_at: at, databases }): Candidate => ({
      backup: filename,
      at,
      open: async () => databases,
      restore: restoring(filename, from),
    }),
  )
  const unknown = unknownOf(found, account, rows).map(({ target, filename, at }): Candidate => ({
    backup: filename,
    at,
    open: async (report) => (await adopt(deps, account, { target, filename }, report)).databases,
    restore: restoring(filename, target),
  }))
  const snapshots = await snapshotCandidates(deps, account, from)
  return [...known, ...unknown, ...snapshots].sort((a, b) => (a.at < b.at ? 1 : -1))
}
