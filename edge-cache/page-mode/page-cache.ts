import type { CacheRule } from '../config.ts'
import type { LearnedCookies } from '../cookies/learned-cookies.ts'
import type { PageVariant } from '../address/key.ts'
import type { PageAddress } from '../address/page-address.ts'
import type { CacheEntry, PageCacheCounters, PurgeScope } from '../types.ts'

export { LITESPEED_CONTROL } from '../fields/cache-control.ts'
export { readRanges, type BytePart } from '../fields/byte-ranges.ts'
export { hasBypassCookie } from '../cookies/cookies.ts'
export { acceptsCoding, preferredCoding, weak, withAcceptEncoding } from '../codings/encoding-choice.ts'
export { isFixedBody, isTextType, MIN_CODED_BYTES } from '../codings/encoding-worth.ts'
export { isForwardingField } from '../fields/forwarding-fields.ts'
export { withoutInternalHeaders } from '../entry/headers.ts'
export { parseHttpDate } from '../fields/http-date.ts'
export {
  isPluginField,
  LITESPEED_CACHE,
  LITESPEED_VARY,
  LSC_COOKIE,
  nameOfCookie,
  PURGE_FIELDS,
  splitCookies,
} from '../litespeed/litespeed-fields.ts'
export { readPurgeOrder, type PurgeItem, type PurgeOrder } from '../litespeed/purge-order.ts'
export { multipartBody, multipartRanges, type MultipartRanges } from '../entry/multipart-ranges.ts'
export { TAG_HEADERS } from '../purge/tags.ts'
export type { LearnedCookies } from '../cookies/learned-cookies.ts'
export type { PageVariant } from '../address/key.ts'
export { NO_CODING_HEADER } from '../fields/no-coding-header.ts'
export { REVALIDATE_HEADER } from '../fields/revalidate-header.ts'
export { SCRIPT_HEADER } from '../fields/script-header.ts'
export {
  purgeAll,
  purgeDomain,
  purgePath,
  purgePrefix,
  purgeSiteTag,
  purgeTag,
  softly,
} from '../purge/purge-scopes.ts'
export type {
  CacheCounters,
  ContentCoding,
  CacheEntry,
  PageCacheCounters,
  PurgeScope,
  StoreStats,
} from '../types.ts'

/** What the page cache must know of the virtual host that a request reached. */
export interface PageCacheContext {
  /** Requested host, lower case, without port; one of the virtual host's names. */
  host: string
  primaryDomain: string
  rule: CacheRule
  secure: boolean
  /** The client's own address, which no page may show that others get. */
  clientAddress?: string
  /** Whether the client is a trusted proxy, whose word on its client is an ordinary one. Default false. */
  isTrustedProxy?: boolean
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
  /** What is known of the site's cookies beside the lists. Default: nothing. */
  learned?: LearnedCookies
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

/**
 * Asks the origin. `as` says whose request it is: `visitor` his own, whose answer he
 * gets; `neutral` nobody's, so that the origin must not be told of the visitor's
 * connection either. Default `visitor`.
 */
export type AskOrigin = (request: Request, as?: 'visitor' | 'neutral') => Promise<Response>

/** The page cache as fetch middleware. */
export interface PageCache {
  /**
   * Answers from the cache, or asks `next` and stores what may be stored. A
   * visitor's request is sent once, whatever comes of it: as he sent it, or, where
   * its answer may be stored, without what concerns his connection and his own copy.
   * Beside it there are neutral requests only: to fill the page of an address whose
   * answer proved to be everybody's where the visitor's own did not, and to refresh.
   */
  handle(request: Request, context: PageCacheContext, next: AskOrigin): Promise<Response>
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
  /** Another process stored this page: it is looked for again, although it was not cacheable a moment ago. */
  storedElsewhere(id: string): void
  /** Applies a purge that already has its sequence. */
  applyPurge(sequence: number, scopes: readonly PurgeScope[], atMs: number): void
  /** A copy of the counters since the start. */
  counters(): PageCacheCounters
}
