import type { PageVariant } from '../address/key.ts'
import type { PageAddress } from '../address/page-address.ts'
import type { AskOrigin, PageCacheContext } from '../address/page-context.ts'
import type { CacheEntry, PageCacheCounters, PurgeScope } from '../types.ts'

/** The page cache as fetch middleware. */
export interface PageCache {
  /**
   * Answers from the cache, or asks `next` and stores what may be stored. A
   * visitor's request is sent once, whatever comes of it: as he sent it, or, where
   * its response may be stored, without what concerns his connection and his own copy.
   * Beside it there are neutral requests only: to fill the page of an address whose
   * response proved to be everybody's where the visitor's own did not, and to refresh.
   */
  handle(request: Request, context: PageCacheContext, next: AskOrigin): Promise<Response>
  /**
   * The fast path: a fresh L1 entry for a plain GET without query, cookies and
   * conditions; null (also for a stale one) sends the request the slow path. The
   * same object is answered as long as the entry is fresh. It is in the coding
   * that suits `acceptEncoding` best; null where none does. Counts a hit, for the
   * virtual host `primaryDomain` (default: `host`).
   */
  lookup(
    host: string,
    path: string,
    secure: boolean,
    acceptEncoding?: string | null,
    primaryDomain?: string,
    variant?: PageVariant,
    edition?: string,
  ): CacheEntry | null
  /** The same by an address that is kept from look-up to look-up. */
  lookupAt(
    address: PageAddress,
    acceptEncoding: string | null,
    primaryDomain: string,
  ): CacheEntry | null
  /**
   * Counts a response that was made before and is given again without asking, as
   * the first was counted: as a bypass for the reason that its `Cache-Status`
   * names, else as a miss.
   */
  countRepeated(primaryDomain: string, cacheStatus: string): void
  /** Another process stored this page: it is looked for again, although it was not cacheable a moment ago. */
  storedElsewhere(id: string): void
  /** Applies a purge that already has its sequence. */
  applyPurge(sequence: number, scopes: readonly PurgeScope[], atMs: number): void
  /** Since the start: requests at a virtual host (its primary domain), and those that were hits. */
  tally(primaryDomain: string): { hits: number; requests: number }
  /** A copy of the counters since the start. */
  counters(): PageCacheCounters
}
