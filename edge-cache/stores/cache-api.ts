import { keepUntilMs } from '../entry/entry.ts'
import { deserializeEntry, serializeEntry } from '../entry/serialize.ts'
import type { CacheEntry, CacheKey, CacheStore } from '../types.ts'

/** What is used of the Cache API; `caches.default` of Workers has it, and so has `caches.open(name)`. */
export interface CacheApi {
  /** Undefined for a miss. */
  match(url: string): Promise<Response | undefined>
  /** Replaces what is there; rejects where the response is none that the API keeps. */
  put(url: string, response: Response): Promise<void>
  /** Whether there was something. */
  delete(url: string): Promise<boolean>
}

/** Bounds and name of a store over the Cache API. */
export interface CacheApiStoreOptions {
  /** Bound of what this store has put or seen, in stored bytes. */
  limitBytes: number
  /** Part of the addresses; stores with different ones share nothing. Letters, digits, hyphens. Default `pages`. */
  namespace?: string
  /** Seconds after which the Cache API itself may forget an entry. Default 30 days. */
  retainSecs?: number
}

/** What the Cache API cannot tell: it neither lists nor counts. */
type Known = Pick<CacheEntry, 'key' | 'tags' | 'sequence'> & {
  keepUntilMs: number
  bytes: number
}

const RETAIN_SECS = 30 * 86_400
/** Longer addresses are refused by some implementations (Cloudflare: 16 KiB). */
const MAX_URL = 8_192
/** Entries looked at by one `sweep`, and their tags. */
const SWEEP_ENTRIES = 1_000
const SWEEP_TAGS = 10_000

/**
 * A layer over the Cache API, for runtimes where that is the local store. The
 * API keeps whole responses by address and knows no listing, so this store keeps
 * an index of what it has put or read: limits, counts and sweeps reach that far.
 * Entries of others at the same place are found by `get` and judged by whoever
 * asks, as in every layer. The least recently used go first; an entry larger
 * than an eighth of the limit is not kept.
 *
 * The entry travels as one body with neutral headers: the page's own `Vary`,
 * `Set-Cookie` or `Cache-Control` would make the API refuse it or answer another.
 */
export const createCacheApiStore = (api: CacheApi, options: CacheApiStoreOptions): CacheStore => {
  const { limitBytes, namespace = 'pages', retainSecs = RETAIN_SECS } = options
  const known = new Map<string, Known>()
  let bytes = 0
  let evictions = 0

  /** Null for a key that has no address; such an entry is skipped. */
  const addressOf = ({ id }: Pick<CacheKey, 'id'>): string | null => {
    if (!id.isWellFormed()) return null
    const url = `https://${namespace}.cache.invalid/${encodeURIComponent(id)}`
    return url.length > MAX_URL ? null : url
  }
  const forget = (id: string): void => {
    bytes -= known.get(id)?.bytes ?? 0
    known.delete(id)
  }
  /** As the newest; answers what must go to make room. */
  const note = (entry: CacheEntry, size: number): Known[] => {
    const { key, tags, sequence } = entry
    forget(key.id)
    known.set(key.id, { key, tags, sequence, keepUntilMs: keepUntilMs(entry), bytes: size })
    bytes += size
    const gone: Known[] = []
    for (const [id, oldest] of known) {
      if (bytes <= limitBytes || id === key.id) break
      forget(id)
      evictions++
      gone.push(oldest)
    }
    return gone
  }
  const remove = async (key: CacheKey): Promise<void> => {
    forget(key.id)
    const url = addressOf(key)
    if (url !== null) await api.delete(url)
  }

  return {
    async get(key) {
      const url = addressOf(key)
      const before = known.get(key.id)
      const response = url === null ? undefined : await api.match(url)
      if (response === undefined) {
        // Unless it was put meanwhile.
        if (known.get(key.id) === before) forget(key.id)
        return null
      }
      const stored = new Uint8Array(await response.arrayBuffer())
      const entry = deserializeEntry(stored)
      if (entry?.key.id !== key.id) return null
      for (const oldest of note(entry, stored.byteLength)) await remove(oldest.key)
      return entry
    },
    async put(entry) {
      const url = addressOf(entry.key)
      const stored = serializeEntry(entry)
      if (url === null || stored.byteLength > limitBytes / 8) {
        // What is there is older than what was to replace it.
        return remove(entry.key)
      }
      const headers = {
        'content-type': 'application/octet-stream',
        'content-length': String(stored.byteLength),
        'cache-control': `max-age=${retainSecs}`,
      }
      await api.put(url, new Response(stored, { headers }))
      for (const oldest of note(entry, stored.byteLength)) await remove(oldest.key)
    },
    delete: remove,
    async sweep(marks, nowMs) {
      const dead: Known[] = []
      let looked = 0
      let tags = 0
      for (const [id, one] of known) {
        if (looked++ === SWEEP_ENTRIES || tags >= SWEEP_TAGS) break
        tags += one.tags.length
        if (nowMs >= one.keepUntilMs || marks.isPurged(one)) dead.push(one)
        else {
          // To the end: the next round begins with what was not looked at.
          known.delete(id)
          known.set(id, one)
        }
      }
      for (const { key } of dead) await remove(key)
      return dead.length
    },
    stats: () => ({ entries: known.size, bytes, limitBytes, evictions }),
  }
}
