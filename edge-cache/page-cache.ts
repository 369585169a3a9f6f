import type { CacheRule } from './config.ts'
import type { CacheEntry, PurgeScope } from './types.ts'

/** What the page cache must know of the virtual host that a request reached. */
export interface PageCacheContext {
  /** Requested host, lower case, without port; one of the virtual host's names. */
  host: string
  primaryDomain: string
  rule: CacheRule
  secure: boolean
  /** Normalised path exactly as the origin sees it. */
  path: string
}

/** The page cache as fetch middleware. */
export interface PageCache {
  /** Answers from the cache, or asks `next` and stores what may be stored. */
  handle(
    request: Request,
    context: PageCacheContext,
    next: (request: Request) => Promise<Response>,
  ): Promise<Response>
  /** The hot way: a live L1 entry for a plain GET without query, cookies and conditions; null sends the request the cold way. */
  lookup(host: string, path: string): CacheEntry | null
  /** Applies a purge that already has its sequence. */
  applyPurge(sequence: number, scopes: readonly PurgeScope[], atMs: number): void
}
