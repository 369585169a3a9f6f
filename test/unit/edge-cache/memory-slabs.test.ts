import { describe, expect, it } from 'vitest'
import {
  type CacheEntry,
  cacheKey,
  createMemoryStore,
  createPurgeMarks,
  hostTag,
  type MemoryStore,
} from '#edge-cache/index.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'

const LIMIT_BYTES = 2 ** 21
const BODY_BYTES = 2000

/** Bytes that tell of which page and version they are. */
const bytesOf = (page: number, version = 0, size = BODY_BYTES): Uint8Array<ArrayBuffer> =>
  new Uint8Array(size).fill((page % 251) ^ version)

const entryOf = (page: number, version = 0): CacheEntry =>
  cacheEntry('a.test', `/${page}`, {
    key: cacheKey('a.test', `/${page}`, null),
    headers: [
      ['content-type', 'text/html'],
      ['etag', `"${version}"`],
    ],
    body: bytesOf(page, version),
    storedAtMs: 0,
    expiresAtMs: 1000,
    etag: `"${version}"`,
    encodings: [{ coding: 'br', body: bytesOf(page, version + 1, 100) }],
  })

const all = (store: MemoryStore): CacheEntry[] => [...store.ofSite(hostTag('a.test'))]

/** Bytes of memory that the bodies keep alive. */
const keptBytes = (entries: readonly CacheEntry[]): number =>
  [
    ...new Set(
      entries
        .flatMap(({ body, encodings }) => [body, ...(encodings ?? []).map((one) => one.body)])
        .map(({ buffer }) => buffer),
    ),
  ].reduce((sum, { byteLength }) => sum + byteLength, 0)

describe('memory layer: bodies in slabs', () => {
  it('keeps every body right while pages are replaced and evicted', () => {
    const store = createMemoryStore({ limitBytes: LIMIT_BYTES })
    const versions = new Map<number, number>()
    for (let step = 0; step < 20_000; step++) {
      const page = (step * 7919) % 1500
      versions.set(page, step)
      store.put(entryOf(page, step))
      // Some are read again and again, so that they outlive their slabs.
      for (let often = 0; often < 20; often++) store.get(cacheKey('a.test', `/${often}`, null))
      if (step % 5 === 0) store.delete(cacheKey('a.test', `/${(page + 1) % 1500}`, null))
    }
    expect(store.stats().evictions).toBeGreaterThan(1000)
    expect(all(store).length).toBeGreaterThan(300)
    for (const { key, body, encodings } of all(store)) {
      const page = Number(key.path.slice(1))
      const version = versions.get(page) ?? 0
      expect(body).toEqual(bytesOf(page, version))
      expect(encodings?.[0]?.body).toEqual(bytesOf(page, version + 1, 100))
    }
  })

  it('keeps no more memory than its limit, however the pages that live are scattered', () => {
    const store = createMemoryStore({ limitBytes: LIMIT_BYTES })
    for (let page = 0; page < 480; page++) store.put(entryOf(page))
    for (let page = 0; page < 480; page++)
      if (page % 4 !== 0) store.delete(cacheKey('a.test', `/${page}`, null))
    const left = all(store)
    expect(left).toHaveLength(120)
    for (let round = 0; round < 100; round++) store.sweep(createPurgeMarks(), 0)
    const own = left.length * (BODY_BYTES + 100)
    // A slab is given up when a quarter of it is free, and one is being filled.
    expect(keptBytes(left)).toBeLessThan(own / 0.75 + LIMIT_BYTES / 32)
    for (let page = 0; page < 5000; page++) store.put(entryOf(page))
    expect(keptBytes(all(store))).toBeLessThanOrEqual(LIMIT_BYTES)
  })

  it('leaves alone what somebody still reads', () => {
    const store = createMemoryStore({ limitBytes: LIMIT_BYTES })
    store.put(entryOf(1))
    const { body } = store.get(cacheKey('a.test', '/1', null)) ?? entryOf(0)
    store.delete(cacheKey('a.test', '/1', null))
    for (let page = 2; page < 5000; page++) store.put(entryOf(page))
    expect(body).toEqual(bytesOf(1))
  })

  it('gives large bodies memory of their own, and keeps nothing beside them', () => {
    const store = createMemoryStore({ limitBytes: LIMIT_BYTES })
    const large = new Uint8Array(new ArrayBuffer(2 ** 20), 5, 2 ** 16).fill(7)
    store.put({ ...entryOf(1), body: large })
    const { body } = store.get(cacheKey('a.test', '/1', null)) ?? entryOf(0)
    expect(body).toEqual(new Uint8Array(2 ** 16).fill(7))
    expect(body.buffer.byteLength).toBe(2 ** 16)
  })

  it('lets pages share equal fields and tags, and only those', () => {
    const store = createMemoryStore({ limitBytes: LIMIT_BYTES })
    for (const [page, version] of [
      [1, 1],
      [2, 1],
      [3, 2],
    ] as const)
      store.put(entryOf(page, version))
    const [one, two, three] = all(store)
    expect(two?.headers).toBe(one?.headers)
    expect(three?.headers).toEqual(entryOf(3, 2).headers)
    expect(three?.headers[0]).toBe(one?.headers[0])
    expect(three?.tags).toBe(one?.tags)
  })
})
