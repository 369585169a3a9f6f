import type { BackedUpDatabase } from '../../store/records.ts'

/** As many paths, and as many databases, may be chosen. */
export const MAX_RESTORE_PARTS = 1000

/** What of a backup is brought back; the rest of the account stays as it is. */
export interface RestoreParts {
  /**
   * Whole home, nothing of it, or files and folders by their paths below it (at most
   * 1,000, normalised, none in another). What lies there now gives way to all that the
   * backup has below the path; one that the backup lacks is 404.
   */
  files: 'all' | 'none' | readonly string[]
  /** By their full names (at most 1,000); one that the backup lacks is 404. */
  databases: 'all' | 'none' | readonly BackedUpDatabase[]
}

/** What was restored from. */
export type RestoredFrom =
  | { kind: 'archive'; filename: string; location: string }
  | { kind: 'snapshot'; snapshotId: string; location: string }
  /** A dump that the account brought; `path` is below its home. */
  | { kind: 'dump'; path: string }

/** A restore, of which what was there before may still be kept. */
export interface KeptRestore {
  /** The operation that restored. */
  id: string
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  restoredAt: string
  /** Until then it can be undone. */
  until: string
  from: RestoredFrom
  /** Whether it is itself the undoing of an earlier restore. */
  isUndo: boolean
  parts: RestoreParts
  /** Why nothing is kept: the quota or the disk has less than a tenth left, or somebody removed it; null: it can be undone. */
  lost: 'quota' | 'disk' | 'removed' | null
}
