/**
 * The contract of a layer, split where processes split it: many read, one writes.
 *
 * - A store holds entries by `key.id`. It knows nothing of freshness and purges:
 *   `get` may answer an expired or purged entry, and whoever asks judges it.
 * - `put` replaces. An entry too large for the store is skipped silently.
 * - `sweep` does a bounded amount of work per call; call it again and again.
 * - A store never throws for a miss. Whatever it throws (or rejects with) means
 *   that the layer is broken; its owner switches it off and opens it anew later.
 */
import type { CacheEntry, CacheKey, CacheStore } from '../types.ts'

export type { CacheStore } from '../types.ts'

/** What every process may do. */
export type CacheReader = Pick<CacheStore, 'get' | 'stats'>

/** What the one writing process does; others reach it by messages. */
export interface CacheWriter {
  /** As `CacheStore.put`. */
  put(entry: CacheEntry): Promise<unknown> | void
  /** As `CacheStore.delete`. */
  delete(key: CacheKey): Promise<unknown> | void
  sweep: CacheStore['sweep']
}

/** A store whose reading and writing are done by different parts (a read-only database and a remote writer). */
export const splitStore = (reader: CacheReader, writer: CacheWriter): CacheStore => ({
  get: (key) => reader.get(key),
  stats: () => reader.stats(),
  put: (entry) => writer.put(entry),
  delete: (key) => writer.delete(key),
  sweep: (marks, nowMs) => writer.sweep(marks, nowMs),
})
