import { describe, expect, it } from 'vitest'
import { IdIndex } from '#edge-cache/stores/memory/id-index.ts'
import { MemoryPlaces, NOWHERE } from '#edge-cache/stores/memory/places.ts'
import { NumberColumn } from '#edge-cache/stores/number-column.ts'
import type { CacheEntry } from '#edge-cache/index.ts'
import { Random } from '../web-server/support/random.ts'

describe('MemoryPlaces', () => {
  it('keeps entries by age through any order of adding and removing', () => {
    const places = new MemoryPlaces()
    const random = new Random(7)
    const known: { place: number; entry: CacheEntry; bytes: number }[] = []
    for (let step = 0; step < 5000; step += 1) {
      if (known.length === 0 || random.chance(0.66)) {
        const entry = { etag: `"${step}"` } as CacheEntry
        known.push({ place: places.add(entry, step), entry, bytes: step })
      } else {
        const [gone] = known.splice(random.below(known.length), 1)
        if (gone) places.remove(gone.place)
      }
    }
    const seen = []
    for (let place = places.oldest; place !== NOWHERE; place = places.newerThan(place))
      seen.push({ place, entry: places.entryAt(place), bytes: places.bytesAt(place) })
    expect(seen).toEqual(known)
    for (const { place } of known) places.remove(place)
    expect(places.oldest).toBe(NOWHERE)
  })

  it('tells of a visit once, and of none of an entry that had the place before', () => {
    const places = new MemoryPlaces()
    const place = places.add({} as CacheEntry, 1)
    places.visit(place)
    expect([places.takeVisit(place), places.takeVisit(place)]).toEqual([true, false])
    places.visit(place)
    places.remove(place)
    expect(places.add({} as CacheEntry, 1)).toBe(place)
    expect(places.takeVisit(place)).toBe(false)
  })
})

describe('NumberColumn', () => {
  it('has what was set across its pieces, 0 elsewhere', () => {
    const column = new NumberColumn(Float64Array)
    const rows = [0, 16_383, 16_384, 16_385, 70_000]
    for (const row of rows) column.set(row, row * 2 ** 32 + 1)
    for (const row of rows) expect(column.get(row)).toBe(row * 2 ** 32 + 1)
    expect([column.get(1), column.get(69_999), column.get(10 ** 6)]).toEqual([0, 0, 0])
  })
})

describe('IdIndex', () => {
  it('is a map of numbers by id, and counts', () => {
    const index = new IdIndex()
    const model = new Map<string, number>()
    const random = new Random(7)
    for (let step = 0; step < 5000; step += 1) {
      const id = `a.test\n/page-${random.below(800)}`
      if (random.chance(0.66)) {
        index.set(id, step)
        model.set(id, step)
      } else {
        index.delete(id)
        model.delete(id)
      }
    }
    expect(index.size).toBe(model.size)
    for (let n = 0; n < 800; n += 1) {
      const id = `a.test\n/page-${n}`
      expect(index.get(id)).toBe(model.get(id))
    }
  })
})
