/**
 * Vocabulary of the page cache. A leaf library: plain Web types and
 * `Uint8Array`, no Node, nothing of the rest of the product.
 */

/** Host (lower case, no port), normalised path, and scheme only where the origin's answer depends on it. */
export interface CacheKey {
  host: string
  path: string
  /** The one string that addresses the entry in every layer. */
  id: string
}

/** Content codings that the cache makes itself. */
export type ContentCoding = 'gzip' | 'br'

/** The body of an entry in another content coding. */
export interface EncodedBody {
  coding: ContentCoding
  body: Uint8Array<ArrayBuffer>
}

/** A stored page. Immutable once built. */
export interface CacheEntry {
  key: CacheKey
  status: 200
  /** End-to-end response headers in order, lower-case names; no `age`, `x-cache`, `cache-status`, tag or hop-by-hop headers. */
  headers: readonly (readonly [string, string])[]
  body: Uint8Array<ArrayBuffer>
  /** Lower-case tags; always holds `host:<host>` and `host:<primary domain>`. */
  tags: readonly string[]
  /** Wall clock, milliseconds: when the origin's answer was generated and when it stops being fresh. */
  storedAtMs: number
  expiresAtMs: number
  /** Purge sequence known when the fill began; see `PurgeMarks`. */
  sequence: number
  etag: string | null
  lastModified: string | null
  /**
   * Seconds for which the entry may be served before the origin is asked whether
   * it changed (answers made from files); null: until it expires.
   */
  revalidateSecs: number | null
  /** Content coding of `body`, in which the origin sent it unasked; null: none. */
  coding: string | null
  /** The body in the codings we made, smaller than `body`; null: not made yet, []: not worth it. */
  encodings: readonly EncodedBody[] | null
}

/** What a purge hits. */
export type PurgeScope =
  { kind: 'all' } | { kind: 'tag'; tag: string } | { kind: 'key'; id: string }

/**
 * Purge marks: `sequence` grows by one with every purge; an entry is dead when
 * any mark that applies to it has a greater sequence than the entry. A fill
 * takes `current()` before it asks the origin, so that it cannot overtake a purge.
 */
export interface PurgeMarks {
  current(): number
  isPurged(entry: Pick<CacheEntry, 'key' | 'tags' | 'sequence'>): boolean
  apply(sequence: number, scopes: readonly PurgeScope[], atMs: number): void
}

/** One layer. A store never throws for a miss; a broken layer throws and is switched off by its owner. */
export interface CacheStore {
  get(key: CacheKey): Promise<CacheEntry | null> | CacheEntry | null
  put(entry: CacheEntry): Promise<void> | void
  delete(key: CacheKey): Promise<void> | void
  /** Removes what the marks have killed and what expired; returns how many. May be called in the background. */
  sweep(marks: PurgeMarks, nowMs: number): Promise<number> | number
  stats(): StoreStats
}

export interface StoreStats {
  entries: number
  bytes: number
  limitBytes: number
  evictions: number
}

/** How a fill ended, told to those who waited for it. */
export type FillOutcome =
  { kind: 'stored'; entry: CacheEntry } | { kind: 'uncacheable' } | { kind: 'failed' }

/**
 * One origin request per key, across everything that shares the coordinator.
 * `join` answers at once for the first caller (leader) and otherwise when the
 * leader settled (follower). A leader that vanishes fails its followers.
 */
export interface FillCoordinator {
  join(
    key: CacheKey,
  ): Promise<
    | { role: 'leader'; settle(outcome: FillOutcome): void }
    | { role: 'follower'; outcome: FillOutcome }
  >
}

export interface CacheCounters {
  hits: number
  misses: number
  /** By reason: method, query, cookie, authorization, excluded, disabled, range... */
  bypasses: Record<string, number>
  stores: number
  bytesServed: number
}
