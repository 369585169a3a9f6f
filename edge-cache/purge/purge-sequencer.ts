import type { PurgeMarkSnapshot, SnapshotPurgeMarks } from './marks.ts'
import type { PurgeScope } from '../types.ts'

/** A purge with its place in the order of purges; what is broadcast to the workers. */
export interface Purge {
  sequence: number
  scopes: readonly PurgeScope[]
  atMs: number
}

/** Where purges outlive the process; the sqlite writer is one. */
export interface PurgeLog {
  /** What was saved, at a start; `NO_MARKS` where nothing ever was. */
  loadMarks(): PurgeMarkSnapshot
  /** Returns, or settles, once the purge would survive a power cut; throws or rejects when it cannot be kept. */
  saveMarks(purge: Purge): Promise<void> | void
}

/** See `createPurgeSequencer`. */
export interface PurgeSequencer {
  /** Gives the next sequence, marks it here and orders it to the disk. Broadcast the result, wait for `kept`, then acknowledge. */
  purge(scopes: readonly PurgeScope[]): Purge
  /** Resolves when every purge so far would survive a power cut, or its pages are gone instead. */
  kept(): Promise<void>
  /** Marks for a worker that starts. */
  snapshot(): PurgeMarkSnapshot
}

/**
 * The one place that numbers purges. A disk that refuses a mark does not stop the
 * purge: it counts at once for every process, and `onLogError` is told, whose
 * duty is to empty the disk layer, since its pages would come back after a restart.
 */
export const createPurgeSequencer = (deps: {
  marks: SnapshotPurgeMarks
  log: PurgeLog | null
  nowMs(): number
  onLogError(error: unknown): unknown
  /**
   * Distance between two numbers, default 1. Where another authority gives whole
   * numbers, fractions between them order what happens here in the meantime.
   */
  step?: number
}): PurgeSequencer => {
  const { marks, log } = deps
  if (log) marks.restore(log.loadMarks())
  let kept = Promise.resolve()
  const keep = async (purge: Purge): Promise<void> => {
    try {
      await log?.saveMarks(purge)
    } catch (error) {
      await deps.onLogError(error)
    }
  }
  return {
    purge(scopes) {
      const purge: Purge = {
        sequence: marks.current() + (deps.step ?? 1),
        scopes,
        atMs: deps.nowMs(),
      }
      marks.apply(purge.sequence, purge.scopes, purge.atMs)
      const before = kept.catch(() => undefined)
      const own = keep(purge)
      kept = before.then(() => own)
      // Whoever acknowledges hears of it.
      kept.catch(() => undefined)
      return purge
    },
    kept: () => kept,
    snapshot: () => marks.snapshot(),
  }
}
