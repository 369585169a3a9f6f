import { describe, expect, it } from 'vitest'
import {
  type BodyEncoder,
  type CacheEntry,
  createLayeredCache,
  createMemoryStore,
  createPurgeMarks,
  purgeAll,
} from '#edge-cache/index.ts'
import {
  createEncodingMaker,
  type EncodingMakerDeps,
} from '#edge-cache/page-mode/encoding-maker.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'
import { gate } from '#test/contract/cache/page-mode/cache-harness.ts'

const page = (path: string, sizeBytes = 2000): CacheEntry =>
  cacheEntry('a.test', path, { body: new Uint8Array(sizeBytes), expiresAtMs: 1e15 })

/** A maker over a memory layer; `release` lets the encoder go on, one body after the other. */
const setUp = (over: Partial<EncodingMakerDeps> & { isBusy?: () => boolean } = {}) => {
  const { isBusy, ...deps } = over
  const marks = createPurgeMarks()
  const l1 = createMemoryStore({ limitBytes: 2 ** 24 })
  const layers = createLayeredCache({ l1, l2: null, marks, nowMs: () => 2000 })
  const jobs: Promise<unknown>[] = []
  let most = 0
  let running = 0
  let encoded = 0
  const { opened, open } = gate()
  const encoder: BodyEncoder = {
    foreignMs: 5,
    async encode() {
      most = Math.max(most, ++running)
      await opened
      running--
      encoded++
      return new Uint8Array(100)
    },
    ...(isBusy ? { isBusy } : {}),
  }
  const maker = createEncodingMaker({
    encoder,
    layers,
    onReplaced: () => undefined,
    background: (job) => void jobs.push(job),
    ...deps,
  })
  return {
    maker,
    marks,
    open,
    counts: () => ({ most, encoded }),
    settled: () => Promise.all(jobs),
    async store(entry: CacheEntry) {
      await layers.put(entry)
      return entry
    },
    codings: (entry: CacheEntry) =>
      layers.lookup(entry.key.id)?.encodings?.map(({ coding }) => coding) ?? null,
  }
}

describe('encoding maker', () => {
  it.each([1, 2])('works on %i pages at a time, and on all of them', async (maxRunning) => {
    const { maker, open, counts, settled, store, codings } = setUp({ maxRunning })
    const entries = await Promise.all(['/1', '/2', '/3', '/4'].map((path) => store(page(path))))
    for (const entry of entries) maker.offer(entry, 'own')
    // Offered twice is encoded once.
    for (const entry of entries) maker.offer(entry, 'own')
    open()
    await settled()
    expect(counts()).toEqual({ most: maxRunning, encoded: 8 })
    for (const entry of entries) expect(codings(entry)).toEqual(['gzip', 'br'])
  })

  it('leaves alone what was purged or replaced while it waited', async () => {
    const { maker, marks, open, counts, settled, store, codings } = setUp()
    const [first, purged] = [await store(page('/first')), await store(page('/purged'))]
    maker.offer(first, 'own')
    maker.offer(purged, 'own')
    marks.apply(1, purgeAll(), 0)
    const replaced = { ...page('/first', 3000), sequence: 1 }
    await store(replaced)
    open()
    await settled()
    expect(counts().encoded).toBeLessThanOrEqual(2)
    expect(codings(first)).toBeNull()
    expect(codings(purged)).toBeNull()
  })

  it('lets requests have their turn between pages that were purged while they waited', async () => {
    const { maker, marks, open, settled, store } = setUp()
    for (let at = 0; at < 500; at++) maker.offer(await store(page(`/${at}`)), 'own')
    marks.apply(1, purgeAll(), 0)
    let turns = 0
    const ticking = setInterval(() => turns++, 0)
    open()
    await settled()
    clearInterval(ticking)
    expect(turns).toBeGreaterThan(5)
  })

  it('takes no more than it may keep, and takes the rest when it is offered again', async () => {
    const { maker, open, settled, store, codings } = setUp({ maxWaitingBytes: 5000 })
    const entries = await Promise.all(['/1', '/2', '/3'].map((path) => store(page(path))))
    for (const entry of entries) maker.offer(entry, 'own')
    open()
    await settled()
    expect(entries.map(codings)).toEqual([['gzip', 'br'], ['gzip', 'br'], null])
    // As a hit does it, with what the layer holds.
    const left = await store(page('/3'))
    maker.offer(left, 'foreign')
    await settled()
    expect(codings(left)).toEqual(['gzip', 'br'])
  })

  it('waits while requests need the machine, but not for ever', async () => {
    let asked = 0
    const { maker, open, counts, settled, store } = setUp({
      isBusy: () => ++asked < 3,
      maxIdleWaitMs: 10_000,
    })
    open()
    maker.offer(await store(page('/')), 'own')
    await settled()
    expect(asked).toBe(3)
    expect(counts().encoded).toBe(2)

    const always = setUp({ isBusy: () => true, maxIdleWaitMs: 200 })
    always.open()
    always.maker.offer(await always.store(page('/')), 'own')
    await always.settled()
    expect(always.counts().encoded).toBe(2)
  })
})
