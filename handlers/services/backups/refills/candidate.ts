import type { RestoredFiles } from '../../../ports/host/backups/backups.ts'
import type { RestoreParts } from '../../../ports/host/backups/restore-parts.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { BackedUpDatabase } from '../../../ports/store/records.ts'

/** A backup that an account may be brought back from. */
export interface Candidate {
  /** An archive's name, or a snapshot's id. */
  backup: string
  at: string
  /** Looks that it can be had; answers the databases in it. */
  open(report: Report | undefined): Promise<readonly BackedUpDatabase[]>
  restore(
    parts: RestoreParts,
    report: Report | undefined,
  ): Promise<{ location: string; restored: RestoredFiles }>
}
