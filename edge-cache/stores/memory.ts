import { entryBytes, keepUntilMs } from '../entry.ts'
import { createSharedParts } from '../shared-parts.ts'
import { createSiteIndex, type SiteUsage } from '../site-index.ts'
import type { CacheEntry, CacheKey, CacheStore } from '../types.ts'
import { createBodySlabs } from './body-slabs.ts'

/**
 * The memory layer: everything is at once, and an entry stays the same object while
 * it lives. Where its bytes, fields and tags lie is the store's to change; what
 * they say never changes.
 */
export interface MemoryStore extends CacheStore {
  get(key: Pick<CacheKey, 'id'>): CacheEntry | null
  put(entry: CacheEntry): void
  delete(key: Pick<CacheKey, 'id'>): void
  sweep: (...args: Parameters<CacheStore['sweep']>) => number
  /** What each site has here, by its host tag. */
  sites(): Record<string, SiteUsage>
  /** All entries of one site, dead ones that no sweep has reached included. */
  ofSite(siteTag: string): Iterable<CacheEntry>
}

interface Node {
  entry: CacheEntry
  bytes: number
  /** Asked for since the hand last passed. */
  visited: boolean
  newer: Node | null
  older: Node | null
}

/** Entries looked at by one `sweep`: a millisecond or two. */
const SWEEP_ENTRIES = 1000
/** Bodies lie in slabs of this size, or of a smaller one where the limit is small. */
const SLAB_BYTES = 2 ** 20
const SLABS = 64

/**
 * L1, bounded by bytes (bodies, texts and overhead, room in slabs). Eviction is SIEVE: a hit
 * only sets a bit, new entries enter at the head, and a hand that moves from the
 * oldest towards the newest takes the first entry nobody asked for. A crawler
 * that walks through a whole site so does not push out what visitors read. An
 * entry larger than an eighth of the limit is not kept.
 */
export const createMemoryStore = (options: { limitBytes: number }): MemoryStore => {
  const { limitBytes } = options
  const nodes = new Map<string, Node>()
  const shared = createSharedParts()
  const slabs = createBodySlabs({
    slabBytes: Math.min(SLAB_BYTES, Math.ceil(limitBytes / SLABS)),
    isHeld: (entry) => nodes.get(entry.key.id)?.entry === entry,
  })
  const sites = createSiteIndex()
  let newest: Node | null = null
  let oldest: Node | null = null
  let hand: Node | null = null
  let sweepAt: Node | null = null
  let bytes = 0
  let evictions = 0

  const remove = (node: Node): void => {
    if (hand === node) hand = node.newer
    if (sweepAt === node) sweepAt = node.newer
    if (node.newer) node.newer.older = node.older
    else newest = node.older
    if (node.older) node.older.newer = node.newer
    else oldest = node.newer
    nodes.delete(node.entry.key.id)
    bytes -= node.bytes
    slabs.remove(node.entry)
    sites.remove(node.entry, node.bytes)
  }
  const evictOne = (): void => {
    let node = hand ?? oldest
    while (node?.visited) {
      node.visited = false
      node = node.newer ?? oldest
    }
    if (!node) return
    hand = node.newer
    remove(node)
    evictions++
  }

  return {
    get(key) {
      const node = nodes.get(key.id)
      if (!node) return null
      node.visited = true
      return node.entry
    },
    put(entry) {
      const known = nodes.get(entry.key.id)
      if (known) remove(known)
      const size = entryBytes(entry)
      if (size > limitBytes / 8) return
      while (bytes + slabs.spareBytes() + size > limitBytes && nodes.size > 0)
        if (!slabs.tidy()) evictOne()
      const node: Node = { entry, bytes: size, visited: false, newer: null, older: newest }
      if (newest) newest.newer = node
      else oldest = node
      newest = node
      nodes.set(entry.key.id, node)
      shared.share(entry)
      slabs.add(entry)
      bytes += size
      sites.add(entry, size)
    },
    delete(key) {
      const node = nodes.get(key.id)
      if (node) remove(node)
    },
    sweep(marks, nowMs) {
      let removed = 0
      let node: Node | null = sweepAt ?? oldest
      for (let looked = 0; node && looked < SWEEP_ENTRIES; looked++) {
        const next: Node | null = node.newer
        if (nowMs >= keepUntilMs(node.entry) || marks.isPurged(node.entry)) {
          remove(node)
          removed++
        }
        node = next
      }
      sweepAt = node
      slabs.tidy()
      return removed
    },
    stats: () => ({ entries: nodes.size, bytes, limitBytes, evictions }),
    sites: () => sites.usage(),
    ofSite: (siteTag) => sites.of(siteTag),
  }
}
