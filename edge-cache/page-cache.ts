import type { CacheRule } from './config.ts'
import type { PageVariant } from './key.ts'
import type { PageAddress } from './page-address.ts'
import type { CacheEntry, PageCacheCounters, PurgeScope } from './types.ts'

export { withoutInternalHeaders } from './headers.ts'
export type { PageVariant } from './key.ts'
export { REVALIDATE_HEADER } from './revalidate-header.ts'
export {
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  purgeSiteTag,
  purgeTag,
  softly,
} from './purge-scopes.ts'
export type {
  CacheCounters,
  CacheEntry,
  PageCacheCounters,
  PurgeScope,
  StoreStats,
} from './types.ts'

/** What the page cache must know of the virtual host that a request reached. */
export interface PageCacheContext {
  /** Requested host, lower case, without port; one of the virtual host's names. */
  host: string
  primaryDomain: string
  rule: CacheRule
  secure: boolean
  /** Normalised path exactly as the origin sees it. */
  path: string
  /** What follows the `?`, as the origin sees it; null without one. Default: that of the request's URL. */
  query?: string | null
  /**
   * Whether answers may differ between http and https; default true. False lets
   * both share an entry (a virtual host that serves files only, to both alike).
   */
  schemeMatters?: boolean
  /**
   * Which edition of the site's own rules the page is made under: only pages of the
   * same edition are used. Default: none.
   */
  edition?: string
  /**
   * Asks the origin although the page is stored, and replaces it when the new
   * one is whole; until then everybody else gets the old one. Default: off.
   */
  refresh?: PageRefresh
}

/** A refresh in place; see `PageCacheContext.refresh`. */
export interface PageRefresh {
  /** Told of the entry that is now stored; not called when nothing was. */
  onStored(entry: CacheEntry): void
}

/** The page cache as fetch middleware. */
export interface PageCache {
  /**
   * Answers from the cache, or asks `next` and stores what may be stored. `next`
   * may be given another request than the client's (a HEAD fills by GET, without
   * what must not shape a shared page), and may be called twice when a fill
   * proves uncacheable.
   */
  handle(
    request: Request,
    context: PageCacheContext,
    next: (request: Request) => Promise<Response>,
  ): Promise<Response>
  /**
   * The hot way: a fresh L1 entry for a plain GET without query, cookies and
   * conditions; null (also for a stale one) sends the request the cold way. The
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
   * Counts an answer that was made before and is given again without asking, as
   * the first was counted: as a bypass for the reason that its `Cache-Status`
   * names, else as a miss.
   */
  countRepeated(primaryDomain: string, cacheStatus: string): void
  /** Applies a purge that already has its sequence. */
  applyPurge(sequence: number, scopes: readonly PurgeScope[], atMs: number): void
  /** A copy of the counters since the start. */
  counters(): PageCacheCounters
}
