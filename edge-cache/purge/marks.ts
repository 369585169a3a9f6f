import { createMarkSet, type MarkSetSnapshot } from './mark-set.ts'
import type { PurgeMarks } from '../types.ts'

/** All marks as plain data, for other processes and for the disk. */
export interface PurgeMarkSnapshot extends MarkSetSnapshot {
  /** Greatest sequence given out. */
  sequence: number
  /** Marks that make entries stale instead of dead. */
  soft: MarkSetSnapshot
}

/** Purge marks that other processes and the disk can take over. */
export interface SnapshotPurgeMarks extends PurgeMarks {
  /** A copy, which later purges leave as it is. */
  snapshot(): PurgeMarkSnapshot
  /** Takes over marks made elsewhere; nothing that is already marked is lost. */
  restore(snapshot: PurgeMarkSnapshot): void
}

/** Bound of tag marks, of key marks and of prefix marks, each. */
export const DEFAULT_MAX_MARKS = 65_536

/** Nothing was ever purged. */
export const NO_MARKS: PurgeMarkSnapshot = {
  sequence: 0,
  floor: 0,
  tags: [],
  keys: [],
  prefixes: [],
  soft: { floor: 0, tags: [], keys: [], prefixes: [] },
}

/** Purge marks in memory, bounded; see `createMarkSet`. */
export const createPurgeMarks = (
  options: { snapshot?: PurgeMarkSnapshot; maxMarks?: number } = {},
): SnapshotPurgeMarks => {
  const maxMarks = options.maxMarks ?? DEFAULT_MAX_MARKS
  const hard = createMarkSet(maxMarks)
  const soft = createMarkSet(maxMarks)
  let current = 0
  let changes = 0
  const restore = (snapshot: PurgeMarkSnapshot): void => {
    hard.restore(snapshot)
    soft.restore(snapshot.soft)
    current = Math.max(current, snapshot.sequence, hard.newest(), soft.newest())
    changes++
  }
  if (options.snapshot) restore(options.snapshot)

  return {
    current: () => current,
    changes: () => changes,
    isPurged: (entry) => hard.hits(entry),
    isSoftPurged: (entry) => soft.hits(entry),
    apply(sequence, scopes) {
      for (const scope of scopes) (scope.soft === true ? soft : hard).apply(sequence, scope)
      current = Math.max(current, sequence)
      changes++
    },
    snapshot: () => ({ sequence: current, ...hard.snapshot(), soft: soft.snapshot() }),
    restore,
  }
}
