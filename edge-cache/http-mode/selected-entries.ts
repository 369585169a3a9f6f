import type { LayeredCache } from '../stores/layered.ts'
import { hostTag } from '../purge/purge-scopes.ts'
import type { CacheEntry, CacheKey, PurgeMarks } from '../types.ts'
import { selectedKey } from './http-key.ts'
import type { HttpCall } from './http-entry.ts'
import { selection } from './vary.ts'

/** Responses kept of one address; a header that clients vary at will cannot fill the cache. */
const MAX_SELECTED = 32

/** What is stored for a request, and the key under which its response has its place. */
export interface Found {
  entry: CacheEntry | null
  key: CacheKey
  /** Whether other requests have other responses at this address. */
  varies: boolean
}

/** Entries of http mode in the layers, those selected by `Vary` below an index (RFC 9111, 4.1). */
export interface SelectedEntries {
  /** Also a stale entry; never a purged one. */
  find(call: HttpCall): Promise<Found>
  /** What another process may have stored in the place meanwhile; null: nothing newer. */
  newest(found: Found, call: HttpCall): Promise<CacheEntry | null>
  /** The entry with the key that its `Vary` gives it for this request; `varies` as in what was found. */
  placed(entry: CacheEntry, call: HttpCall, varies: boolean): Promise<CacheEntry>
  /** Stores a placed entry; `own` false takes one of another process into memory only. */
  put(entry: CacheEntry, call: HttpCall, own?: boolean): Promise<void>
}

/**
 * The index names the headers that select and the entries there are; the newest
 * response's `Vary` counts. Past the bound the oldest entry goes. It is fresh as long
 * as a response that says `Vary` is; until then one without the field, the default
 * that many resources forget it on, serves its own selection alone (RFC 9111, 4.1).
 */
export const createSelectedEntries = (deps: {
  layers: LayeredCache
  marks: PurgeMarks
  nowMs(): number
}): SelectedEntries => {
  const { layers, marks, nowMs } = deps
  const indexFor = async (entry: CacheEntry, call: HttpCall): Promise<CacheEntry> => {
    const known = await layers.get(call.key)
    const vary = entry.http?.vary ?? []
    const same = known?.http?.selected && known.http.vary.join() === vary.join()
    const others = (same ? (known.http?.selected ?? []) : []).filter((id) => id !== entry.key.id)
    const all = [...others, entry.key.id]
    for (const id of all.slice(0, -MAX_SELECTED)) await layers.delete({ ...call.key, id })
    const knownUntilMs = same ? (known.http?.freshUntilMs ?? 0) : 0
    const says = entry.headers.some(([name]) => name === 'vary')
    const freshUntilMs = says ? Math.max(knownUntilMs, entry.http?.freshUntilMs ?? 0) : knownUntilMs
    const hosts = [hostTag(call.key.host), hostTag(call.context.primaryDomain)]
    return {
      ...entry,
      key: call.key,
      headers: [],
      body: new Uint8Array(0),
      // Not the response's own tags: a purge by them leaves the other responses where they are.
      tags: entry.tags.filter((tag) => hosts.includes(tag) || tag.startsWith('uri:')),
      expiresAtMs: Math.max(entry.expiresAtMs, same ? known.expiresAtMs : 0),
      etag: null,
      lastModified: null,
      coding: null,
      http: { freshUntilMs, vary, selected: all.slice(-MAX_SELECTED) },
    }
  }
  const placedKey = async (vary: readonly string[], call: HttpCall): Promise<CacheKey> =>
    vary.length === 0
      ? call.key
      : selectedKey(call.key, await selection(vary, call.request.headers))
  /** What fresh responses at this address depend on. */
  const stillVarying = async (call: HttpCall): Promise<readonly string[]> => {
    const http = (await layers.get(call.key))?.http
    return http?.selected && nowMs() < http.freshUntilMs ? http.vary : []
  }

  return {
    async find(call) {
      const first = await layers.get(call.key)
      if (!first?.http) return { entry: null, key: call.key, varies: false }
      if (first.http.selected === null) return { entry: first, key: call.key, varies: false }
      const key = await placedKey(first.http.vary, call)
      const entry = await layers.get(key)
      return { entry: entry?.http ? entry : null, key, varies: true }
    },
    async newest(found, call) {
      const near = (await this.find(call)).entry
      if (near && near !== found.entry) return near
      const far = await layers.peek(found.key)
      if (!far?.http || far.http.selected || marks.isPurged(far) || !layers.isTrusted()) return null
      if (found.entry && far.http.freshUntilMs <= (found.entry.http?.freshUntilMs ?? 0)) return null
      layers.promote(far)
      return far
    },
    async placed(entry, call, varies) {
      const { http } = entry
      if (!http) return entry
      const vary = http.vary.length > 0 || !varies ? http.vary : await stillVarying(call)
      return { ...entry, http: { ...http, vary }, key: await placedKey(vary, call) }
    },
    async put(entry, call, own = true) {
      const write = (one: CacheEntry): Promise<void> => {
        if (own) return layers.put(one)
        layers.promote(one)
        return Promise.resolve()
      }
      const index = entry.http?.vary.length ? await indexFor(entry, call) : null
      await Promise.all([write(entry), ...(index ? [write(index)] : [])])
    },
  }
}
