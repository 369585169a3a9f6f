import { createChangedPages } from './changed-pages.ts'
import { freshnessOf, type Freshness } from '../entry/stale.ts'
import type { MemoryStore } from './memory/memory.ts'
import type { CacheEntry, CacheKey, CacheStore, PurgeMarks, StoreStats } from '../types.ts'

/** The layer below the memory; opened when first needed and again after a fault. */
export interface LayerSource {
  name: string
  /** Throws when the layer cannot be had now. */
  open(): CacheStore
  /** Lets go of what is open; it is opened again when next needed. */
  close?(): void
}

/** See `createLayeredCache`. */
export interface LayeredCache {
  /** Whether there is a memory layer; without one a page is stored only when `put` has settled. */
  hasL1: boolean
  /**
   * Whether what is stored may be answered with now. Where it may not, nothing is found, and
   * what is here stays for when it may again.
   */
  isTrusted(): boolean
  /** L1 alone, at once. Only fresh entries. */
  lookup(id: string): CacheEntry | null
  /**
   * L1, then L2; what L2 has is promoted. Fresh, or else stale but of use; never
   * a dead entry. Never throws.
   */
  get(key: CacheKey): Promise<CacheEntry | null>
  /** What L2 has, as it is: neither judged nor promoted. Never throws. */
  peek(key: CacheKey): Promise<CacheEntry | null>
  /**
   * Puts `by` in the place of `entry` in the layers that still hold it. In L2 an
   * entry is another object, which `isSame` recognises. Never rejects.
   */
  replace(
    entry: CacheEntry,
    by: CacheEntry,
    isSame: (held: CacheEntry, entry: CacheEntry) => boolean,
  ): Promise<void>
  /** Puts an entry of another process into L1, unless it may be older than what L2 has. */
  promote(entry: CacheEntry): void
  /**
   * Writes to every layer: L1 at once, L2 when the promise settles. What L1 has then
   * is what was stored last, or nothing. Never rejects.
   */
  put(entry: CacheEntry): Promise<void>
  /** From every layer. Never rejects. */
  delete(key: CacheKey): Promise<void>
  /** Another process stored this edition of a page (see `editionOf`), or took it away (null): L1 lets go of its copy. */
  changed(id: string, edition: string | null): void
  /** One bounded round of cleaning in L1. The lower layer is swept by the process that writes it. */
  sweep(): number
  /** Lets go of the lower layer and opens it anew when next needed: its file was made anew. */
  reopen(): void
  /** Null for a layer that is off. */
  stats(): { l1: StoreStats | null; l2: StoreStats | null }
}

/**
 * The layers as one: read down and promote, write through. A lower layer that
 * throws is switched off, reported once, and opened again after `retryMs`; sites
 * go on with what is left. Marks and expiry are judged here, at every read.
 */
export const createLayeredCache = (deps: {
  l1: MemoryStore | null
  l2: LayerSource | null
  marks: PurgeMarks
  nowMs(): number
  retryMs?: number
  /** See `LayeredCache.isTrusted`; default: always. */
  isTrusted?(): boolean
  onLayerDown?(name: string, error: unknown): void
  onLayerUp?(name: string): void
}): LayeredCache => {
  const { l1, marks, nowMs } = deps
  const retryMs = deps.retryMs ?? 10_000
  const isTrusted = deps.isTrusted ?? (() => true)
  let store: CacheStore | null = null
  let downUntilMs: number | null = null
  const changes = createChangedPages(nowMs)

  const switchOff = (name: string, error: unknown): void => {
    const wasUp = downUntilMs === null
    store = null
    downUntilMs = nowMs() + retryMs
    if (wasUp) deps.onLayerDown?.(name, error)
  }
  const lower = (): CacheStore | null => {
    if (store || !deps.l2) return store
    if (downUntilMs !== null && nowMs() < downUntilMs) return null
    try {
      store = deps.l2.open()
    } catch (error) {
      switchOff(deps.l2.name, error)
      return null
    }
    if (downUntilMs !== null) deps.onLayerUp?.(deps.l2.name)
    downUntilMs = null
    return store
  }
  /** Does `work` on the lower layer; `fallback` when it is off or breaks. */
  const below = async <T>(work: (layer: CacheStore) => T | Promise<T>, fallback: T): Promise<T> => {
    const layer = lower()
    if (!layer || !deps.l2) return fallback
    try {
      return await work(layer)
    } catch (error) {
      if (store === layer) switchOff(deps.l2.name, error)
      return fallback
    }
  }
  const judge = (entry: CacheEntry): Freshness => freshnessOf(entry, marks, nowMs())
  const isLive = (entry: CacheEntry): boolean => judge(entry) !== 'dead'
  const near = (id: string): { entry: CacheEntry; fresh: boolean } | null => {
    const entry = l1?.get({ id }) ?? null
    if (!entry) return null
    const freshness = judge(entry)
    if (freshness !== 'dead') return { entry, fresh: freshness === 'fresh' }
    l1?.delete({ id })
    return null
  }
  const lookup = (id: string): CacheEntry | null => {
    if (!isTrusted()) return null
    const own = near(id)
    return own?.fresh ? own.entry : null
  }

  return {
    hasL1: l1 !== null,
    isTrusted,
    lookup,
    async get(key) {
      if (!isTrusted()) return null
      const fresh = lookup(key.id)
      if (fresh) return fresh
      // Where L1 has only a stale page, another process may have stored a new one below.
      const before = changes.moment()
      const far = await below((layer) => layer.get(key), null)
      // Judged after the wait: a purge may have come meanwhile.
      if (!isTrusted()) return null
      const own = near(key.id)
      const worth = far ? judge(far) : 'dead'
      if (!far || worth === 'dead') return own?.entry ?? null
      // The object that L1 may have got meanwhile stays, so that prebuilt bytes keep their worth.
      if (own && (own.fresh || worth === 'stale')) return own.entry
      // What was stored while this one was read is everybody's next.
      if (!changes.outdates(far, before)) l1?.put(far)
      return far
    },
    peek: (key) => below((layer) => layer.get(key), null),
    async replace(entry, by, isSame) {
      if (isLive(by) && l1?.get(entry.key) === entry) {
        l1.put(by)
        // Too large now: better the old one than none.
        if (!l1.get(entry.key)) l1.put(entry)
      }
      await below(async (layer) => {
        const held = await layer.get(entry.key)
        if (held && isSame(held, entry) && isLive(by)) await layer.put(by)
      }, undefined)
    },
    promote(entry) {
      if (isLive(entry) && !changes.outdatesLately(entry)) l1?.put(entry)
    },
    async put(entry) {
      if (!isLive(entry)) return
      l1?.put(entry)
      if (!deps.l2) return
      await below((layer) => layer.put(entry), undefined)
      const own = l1?.get(entry.key) ?? null
      if (own !== null && own !== entry) l1?.delete(entry.key)
    },
    async delete(key) {
      changes.note(key.id, null)
      l1?.delete(key)
      await below((layer) => layer.delete(key), undefined)
    },
    changed(id, edition) {
      changes.note(id, edition)
      l1?.delete({ id })
    },
    sweep: () => l1?.sweep(marks, nowMs()) ?? 0,
    reopen() {
      store = null
      deps.l2?.close?.()
      // At once, not when the pause after a fault is over.
      if (downUntilMs !== null) downUntilMs = 0
    },
    stats() {
      let l2: StoreStats | null = null
      const layer = lower()
      try {
        l2 = layer?.stats() ?? null
      } catch (error) {
        if (deps.l2) switchOff(deps.l2.name, error)
      }
      return { l1: l1?.stats() ?? null, l2 }
    },
  }
}
