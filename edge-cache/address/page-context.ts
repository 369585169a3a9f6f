import type { CacheRule } from '../config.ts'
import type { LearnedCookies } from '../cookies/learned-cookies.ts'
import type { CacheEntry } from '../types.ts'

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
   * Whether responses may differ between http and https; default true. False lets
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
 * Asks the origin. `as` says whose request it is: `visitor` his own, whose response he
 * gets; `neutral` nobody's, so that the origin must not be told of the visitor's
 * connection either. Default `visitor`.
 */
export type AskOrigin = (request: Request, as?: 'visitor' | 'neutral') => Promise<Response>
