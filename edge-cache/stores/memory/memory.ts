import { entryBytes, keepUntilMs } from '../../entry/entry.ts'
import { createSharedParts } from '../../entry/shared-parts.ts'
import { createSiteIndex, type SiteUsage } from '../site-index.ts'
import type { CacheEntry, CacheKey, CacheStore } from '../../types.ts'
import { createBodySlabs } from './body-slabs.ts'
import { IdIndex } from './id-index.ts'
import { MarkWalk } from '../mark-walk.ts'
import { MemoryPlaces, NOWHERE } from './places.ts'

/**
 * The memory layer: everything is at once, and an entry stays the same object while
 * it lives. Where its bytes, fields and tags lie is the store's to change; what
 * they say never changes.
 */
export interface MemoryStore extends CacheStore {
  /** At once, and counts as asked for; the same object as long as it lives. */
  get(key: Pick<CacheKey, 'id'>): CacheEntry | null
  /** At once; makes room by evicting what nobody asked for. */
  put(entry: CacheEntry): void
  /** At once. Nothing there: no error. */
  delete(key: Pick<CacheKey, 'id'>): void
  /** One bounded round over a part of the entries; answers how many went. */
  sweep: (...args: Parameters<CacheStore['sweep']>) => number
  /** What each site has here, by its host tag. */
  sites(): Record<string, SiteUsage>
  /** All entries of one site, dead ones that no sweep has reached included. */
  ofSite(siteTag: string): Iterable<CacheEntry>
}

/** Entries looked at by one `sweep`, and tags of those that it compares with marks: a millisecond or two. */
const SWEEP_ENTRIES = 1000
const SWEEP_TAGS = 10_000
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
  const known = new IdIndex()
  const places = new MemoryPlaces()
  const shared = createSharedParts()
  const slabs = createBodySlabs({
    slabBytes: Math.min(SLAB_BYTES, Math.ceil(limitBytes / SLABS)),
    isHeld: (entry) => {
      const place = known.get(entry.key.id)
      return place !== undefined && places.entryAt(place) === entry
    },
  })
  const sites = createSiteIndex((place) => places.entryAt(place))
  let hand = NOWHERE
  let sweepAt = NOWHERE
  const walk = new MarkWalk()
  let bytes = 0
  let evictions = 0

  const remove = (place: number): void => {
    const entry = places.entryAt(place)
    if (entry === null) return
    const size = places.bytesAt(place)
    if (hand === place) hand = places.newerThan(place)
    if (sweepAt === place) sweepAt = places.newerThan(place)
    sites.remove(place, entry, size)
    places.remove(place)
    known.delete(entry.key.id)
    bytes -= size
    slabs.remove(entry)
  }
  const evictOne = (): void => {
    let place = hand === NOWHERE ? places.oldest : hand
    while (place !== NOWHERE && places.takeVisit(place)) {
      const newer = places.newerThan(place)
      place = newer === NOWHERE ? places.oldest : newer
    }
    if (place === NOWHERE) return
    hand = places.newerThan(place)
    remove(place)
    evictions++
  }

  return {
    get({ id }) {
      const place = known.get(id)
      if (place === undefined) return null
      places.visit(place)
      return places.entryAt(place)
    },
    put(entry) {
      const { id } = entry.key
      const before = known.get(id)
      if (before !== undefined) remove(before)
      const size = entryBytes(entry)
      if (size > limitBytes / 8) return
      while (bytes + slabs.spareBytes() + size > limitBytes && known.size > 0)
        if (!slabs.tidy()) evictOne()
      const place = places.add(entry, size)
      known.set(id, place)
      shared.share(entry)
      slabs.add(entry)
      bytes += size
      sites.add(place, entry, size)
    },
    delete({ id }) {
      const place = known.get(id)
      if (place !== undefined) remove(place)
    },
    sweep(marks, nowMs) {
      let removed = 0
      let tags = 0
      if (sweepAt === NOWHERE) {
        walk.begin(marks)
        sweepAt = places.oldest
      }
      const { looks } = walk
      for (let n = 0; sweepAt !== NOWHERE && n < SWEEP_ENTRIES && tags < SWEEP_TAGS; n++) {
        const place = sweepAt
        sweepAt = places.newerThan(place)
        const entry = places.entryAt(place)
        if (entry === null) continue
        if (looks) tags += entry.tags.length
        if (nowMs < keepUntilMs(entry) && !(looks && marks.isPurged(entry))) continue
        remove(place)
        removed++
      }
      if (sweepAt === NOWHERE) walk.end()
      slabs.tidy()
      return removed
    },
    stats: () => ({ entries: known.size, bytes, limitBytes, evictions }),
    sites: () => sites.usage(),
    ofSite: (siteTag) => sites.of(siteTag),
  }
}
