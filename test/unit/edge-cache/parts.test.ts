import { describe, expect, it } from 'vitest'
import {
  addCounters,
  cacheKey,
  createMemoryStore,
  createSingleFlight,
  createUncacheableMarkers,
  deserializeEntry,
  isExcluded,
  purgePath,
  serializeEntry,
} from '#edge-cache/index.ts'
import { parseCacheControl } from '#edge-cache/fields/cache-control.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'

describe('cache key', () => {
  it('lowers the host and leaves the path as it is', () => {
    expect(cacheKey('A.Test', '/Ä/日本', 'https')).toEqual({
      host: 'a.test',
      path: '/Ä/日本',
      id: 'https://a.test/Ä/日本',
    })
    expect(cacheKey('a.test', '/', null).id).toBe('//a.test/')
  })

  it('is hit by a purge in every scheme and spelling', () => {
    const ids = purgePath('A.test', '/%E6%97%A5').map((scope) => scope.kind === 'key' && scope.id)
    for (const path of ['/日', '/%E6%97%A5']) {
      for (const scheme of ['http', 'https', null] as const) {
        expect(ids).toContain(cacheKey('a.test', path, scheme).id)
      }
    }
    expect(purgePath('a.test', '/%zz')).toHaveLength(3)
  })
})

describe('exclude patterns', () => {
  it.each([
    ['/cart', ['/cart'], true],
    ['/cart/', ['/cart'], false],
    ['/cart/x', ['/cart*'], true],
    ['/cart', ['/cart/*'], false],
    ['/anything', ['*'], true],
    ['/日本', ['/%E6%97%A5*'], true],
    ['/%E6%97%A5', ['/日'], true],
    ['/a*b', ['/a*b'], true],
    ['/aXb', ['/a*b'], false],
    ['/%zz', ['/%zz'], true],
    ['/x', [], false],
    ['//cart', ['/cart'], true],
    ['/shop///cart', ['/shop/cart'], true],
    ['//private//x', ['/private/*'], true],
    ['//x', ['/'], false],
  ])('%s against %j: %s', (path, patterns, expected) => {
    expect(isExcluded(path, patterns)).toBe(expected)
  })
})

describe('Cache-Control', () => {
  it('reads names in any case, quoted values and nonsense', () => {
    expect([...parseCacheControl('Public, MAX-AGE=5,s-maxage="7", private="a, no-store"')]).toEqual(
      [
        ['public', ''],
        ['max-age', '5'],
        ['s-maxage', '7'],
        ['private', 'a, no-store'],
      ],
    )
    expect(parseCacheControl(',,=;').size).toBe(0)
    expect(parseCacheControl(null).size).toBe(0)
  })
})

describe('serialised entry', () => {
  const entry = cacheEntry('a.test', '/日本', {
    headers: [
      ['link', 'ä'],
      ['link', '"'],
    ],
    body: Uint8Array.from({ length: 256 }, (_, i) => i),
    etag: 'W/"1"',
    revalidateSecs: 1,
  })

  it('comes back as it was, also after a structured clone', () => {
    expect(deserializeEntry(serializeEntry(entry))).toEqual(entry)
    expect(deserializeEntry(structuredClone(serializeEntry(entry)))).toEqual(entry)
  })

  it('is null for everything that is not one', () => {
    const bytes = serializeEntry(entry)
    for (const length of [0, 3, 4, 50])
      expect(deserializeEntry(bytes.subarray(0, length))).toBeNull()
    expect(deserializeEntry(new Uint8Array(100).fill(255))).toBeNull()
    const json = (value: unknown): Uint8Array => {
      const head = new TextEncoder().encode(JSON.stringify(value))
      return Uint8Array.from([0, 0, 0, head.length, ...head])
    }
    for (const head of [null, 1, [], {}, { host: 'a', path: '/', id: 'x', headers: [['a']] }]) {
      expect(deserializeEntry(json(head))).toBeNull()
    }
  })
})

describe('memory layer', () => {
  const body = new Uint8Array(1000)
  const limitBytes = 100_000

  it('keeps what is asked for while a crawler walks through', () => {
    const store = createMemoryStore({ limitBytes })
    const hot = Array.from({ length: 10 }, (_, i) => cacheEntry('a.test', `/hot/${i}`, { body }))
    for (const entry of hot) store.put(entry)
    for (let i = 0; i < 1000; i++) {
      store.put(cacheEntry('a.test', `/walk/${i}`, { body }))
      for (const entry of hot) expect(store.get(entry.key)).toBe(entry)
    }
    expect(store.stats().bytes).toBeLessThanOrEqual(limitBytes)
    expect(store.stats().evictions).toBeGreaterThan(900)
  })

  it('counts texts and overhead, not bodies alone', () => {
    const store = createMemoryStore({ limitBytes })
    for (let i = 0; i < 1000; i++) {
      store.put(cacheEntry('a.test', `/${i}`, { body: new Uint8Array(1) }))
    }
    expect(store.stats().entries).toBeLessThan(150)
  })

  it('holds its sums through any order of changes', () => {
    const store = createMemoryStore({ limitBytes })
    let seed = 1
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below
    for (let i = 0; i < 5000; i++) {
      const entry = cacheEntry('a.test', `/${random(200)}`, { body: new Uint8Array(random(5000)) })
      const action = random(10)
      if (action < 6) store.put(entry)
      else if (action < 8) store.get(entry.key)
      else store.delete(entry.key)
      expect(store.stats().bytes).toBeLessThanOrEqual(limitBytes)
    }
    for (let i = 0; i < 200; i++) store.delete(cacheEntry('a.test', `/${i}`).key)
    expect(store.stats()).toMatchObject({ entries: 0, bytes: 0 })
  })
})

describe('single flight', () => {
  const { key } = cacheEntry('a.test', '/')

  it('has one leader per key and forgets what settled', async () => {
    const flight = createSingleFlight()
    const leader = await flight.join(key)
    const follower = flight.join(key)
    expect((await flight.join(cacheEntry('b.test', '/').key)).role).toBe('leader')
    if (leader.role !== 'leader') throw new Error('the first is the leader')
    leader.settle({ kind: 'uncacheable' })
    leader.settle({ kind: 'failed' })
    expect(await follower).toEqual({ role: 'follower', outcome: { kind: 'uncacheable' } })
    expect((await flight.join(key)).role).toBe('leader')
  })
})

describe('uncacheable markers', () => {
  it('run out and are bounded', () => {
    let now = 0
    const markers = createUncacheableMarkers({ forMs: 10, nowMs: () => now, maxMarkers: 2 })
    for (const id of ['a', 'b', 'c']) markers.set(id)
    expect(['a', 'b', 'c'].map((id) => markers.has(id))).toEqual([false, true, true])
    markers.clear('b')
    expect(markers.has('b')).toBe(false)
    now = 10
    expect(markers.has('c')).toBe(false)
  })
})

describe('counters', () => {
  it('add up over workers', () => {
    const one = {
      hits: 1,
      staleHits: 1,
      misses: 2,
      bypasses: { query: 1 },
      stores: 1,
      bytesServed: 10,
    }
    const two = {
      hits: 5,
      staleHits: 0,
      misses: 0,
      bypasses: { query: 2, cookie: 1 },
      stores: 0,
      bytesServed: 1,
    }
    const sum = {
      hits: 6,
      staleHits: 1,
      misses: 2,
      bypasses: { query: 3, cookie: 1 },
      stores: 1,
      bytesServed: 11,
    }
    const first = { ...one, hosts: { 'a.test': one } }
    const second = { ...two, hosts: { 'a.test': two, 'b.test': two } }
    expect(addCounters([first, second])).toEqual({
      ...sum,
      hosts: { 'a.test': sum, 'b.test': two },
    })
  })
})
