/**
 * Vocabulary of the page cache. A leaf library: plain Web types and
 * `Uint8Array`, no Node, nothing of the rest of the product.
 */

import type { ScriptVersion } from './fields/script-header.ts'

/** Host (lower case, no port), normalised path, and scheme only where the origin's response depends on it. */
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

/**
 * A stored page. What it says never changes once it is built; only where its bytes,
 * fields and tags lie may, so nobody keeps the `body` of a living entry for long.
 */
export interface CacheEntry {
  key: CacheKey
  /** 200, but for virtual hosts in `http` mode. */
  status: number
  /** End-to-end response headers in order, lower-case names; no `age`, `x-cache`, `cache-status`, tag or hop-by-hop headers. */
  headers: readonly (readonly [string, string])[]
  body: Uint8Array<ArrayBuffer>
  /** Lower-case tags; always holds `host:<host>` and `host:<primary domain>`. */
  tags: readonly string[]
  /** Wall clock, milliseconds: when the origin's response was generated and when it stops being fresh. */
  storedAtMs: number
  expiresAtMs: number
  /** Absent where it may never be served stale (`must-revalidate`), not even after a soft purge. */
  stale?: StaleLimits
  /** Purge sequence known when the fill began; see `PurgeMarks`. */
  sequence: number
  /** The origin's, which is among `headers` too, or one of our own, which is not; see `ownTag`. */
  etag: string | null
  lastModified: string | null
  /**
   * Seconds for which the entry may be served before the origin is asked whether
   * it changed (responses made from files); null: until it expires.
   */
  revalidateSecs: number | null
  /** The script that made the page; absent where none is known. */
  script?: ScriptVersion
  /** Content coding of `body`, in which the origin sent it unasked; null: none. */
  coding: string | null
  /** The body in the codings we made, smaller than `body`; null: not made yet, []: not worth it. */
  encodings: readonly EncodedBody[] | null
  /** Only of virtual hosts in `http` mode, whose entries no other way may serve. */
  http?: HttpFields
}

/** Wall clock, milliseconds, not before `expiresAtMs` (RFC 5861). */
export interface StaleLimits {
  /** Until when the entry may be served stale while one request refreshes it. */
  refreshUntilMs: number
  /** Until when it may be served in place of an error of the origin. */
  errorUntilMs: number
}

/** What an entry needs to be reused as RFC 9111 says. `expiresAtMs` is then when it is thrown away. */
export interface HttpFields {
  /** Wall clock, milliseconds: when the response stops being fresh; stale ones are kept to be revalidated. */
  freshUntilMs: number
  /** Lower-case names of the request headers that selected the response (`Vary`). */
  vary: readonly string[]
  /** Of an entry without a response, which stands for those that vary: their ids, oldest first. */
  selected: readonly string[] | null
}

/**
 * What a purge hits. `key` hits the page in all its variants (see `keyId`);
 * `prefix` is `//host/path…` and hits every id that goes on so, whatever the
 * scheme. `soft` makes entries stale instead of dead: they are served only while
 * they are refreshed, or in place of an error.
 */
export type PurgeScope = (
  | { kind: 'all' }
  | { kind: 'tag'; tag: string }
  | { kind: 'key'; id: string }
  | { kind: 'prefix'; prefix: string }
) & { soft?: boolean }

/** What a mark is compared with. */
export type Markable = Pick<CacheEntry, 'key' | 'tags' | 'sequence'>

/**
 * Purge marks: `sequence` grows by one with every purge; an entry is dead when
 * any mark that applies to it has a greater sequence than the entry. A fill
 * takes `current()` before it asks the origin, so that it cannot overtake a purge.
 */
export interface PurgeMarks {
  /** The greatest sequence given out or applied; 0 before the first purge. */
  current(): number
  /** Grows whenever marks came: while it stays, the responses below stay the same. */
  changes(): number
  /** Whether a purge hit it that is younger than the entry: it must not be served any more. */
  isPurged(entry: Markable): boolean
  /** Whether a soft purge made it stale. */
  isSoftPurged(entry: Markable): boolean
  /** Takes over one purge, of this process or another; in any order, and twice does no harm. */
  apply(sequence: number, scopes: readonly PurgeScope[], atMs: number): void
}

/** One layer. A store never throws for a miss; a broken layer throws and is switched off by its owner. */
export interface CacheStore {
  /**
   * What is stored under `key.id`, be it expired or purged: whoever asks judges it. Null
   * for a miss.
   */
  get(key: CacheKey): Promise<CacheEntry | null> | CacheEntry | null
  /** Replaces what is there. An entry too large for the store is skipped silently. */
  put(entry: CacheEntry): Promise<unknown> | void
  /** Nothing there: no error. */
  delete(key: CacheKey): Promise<unknown> | void
  /** Removes what the marks have killed and what expired; returns how many. May be called in the background. */
  sweep(marks: PurgeMarks, nowMs: number): Promise<number> | number
  /** Cheap: counters that are kept, not counted anew. */
  stats(): StoreStats
}

/** What a layer holds; `bytes` by the layer's own measure, evictions since it was opened. */
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
  /** See `FillCoordinator`; rejects when the coordinator is gone. A leader must `settle` once. */
  join(
    key: CacheKey,
  ): Promise<
    | { role: 'leader'; settle(outcome: FillOutcome): void }
    | { role: 'follower'; outcome: FillOutcome }
  >
}

/** Sums since the start of the process that counted them. */
export interface CacheCounters {
  /** Stale ones included. */
  hits: number
  /** Of the hits: served stale, while refreshed or in place of an error. */
  staleHits: number
  misses: number
  /** By reason: method, query, cookie, authorization, excluded, disabled, range... */
  bypasses: Record<string, number>
  stores: number
  /** Bytes of body served from the cache. */
  bytesServed: number
}

/** Counters of a whole page cache, and of each virtual host by primary domain. */
export interface PageCacheCounters extends CacheCounters {
  hosts: Record<string, CacheCounters>
}
