import type { Counting } from '../statistics/counters.ts'
import type { LayeredCache } from '../stores/layered.ts'
import type { FillCoordinator, PurgeMarks, PurgeScope } from '../types.ts'

/** What http mode shares with the page cache around it; see `PageCacheDeps`. */
export interface HttpCacheDeps {
  layers: LayeredCache
  marks: PurgeMarks
  coordinator: FillCoordinator
  counters: Counting
  /** Wall clock, milliseconds. */
  nowMs(): number
  maxEntryBytes: number
  uncacheableMs: number
  followMs: number
  storeWaitMs: number
  /** Keeps the runtime alive for work that outlives the response. */
  background(work: Promise<unknown>): void
  /**
   * Purges in every process what an unsafe request changed; settles when the
   * purge is in force. Default: marks of this process only.
   */
  invalidate?(scopes: readonly PurgeScope[]): Promise<void>
}
