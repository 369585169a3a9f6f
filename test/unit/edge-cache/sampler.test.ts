import { describe, expect, it } from 'vitest'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import type { PageRequest } from '#edge-cache/fills/page-request.ts'
import { type CacheEntry, createSampler } from '#edge-cache/index.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'

const GERMAN = '<html lang="de"><title>Hallo</title>'
const ENGLISH = '<html lang="en"><title>Hello</title>'

const entryOf = (path: string, storedAtMs: number, over: Partial<CacheEntry> = {}): CacheEntry =>
  cacheEntry('a.test', path, {
    key: { host: 'a.test', path, id: `//a.test${path}` },
    headers: [],
    body: new TextEncoder().encode(GERMAN),
    tags: [],
    storedAtMs,
    expiresAtMs: storedAtMs + 3_600_000,
    ...over,
  })

/** A sampler whose time passes when it is told to. */
const harness = (neutral: string | null = ENGLISH) => {
  let now = 1_000_000
  const timers: { atMs: number; work: () => void }[] = []
  const entries = new Map<string, CacheEntry>()
  const seen = { runs: [] as string[], turns: [] as string[], found: [] as string[] }
  const state = { idle: true, turn: true }
  const sampler = createSampler({
    nowMs: () => now,
    after: (delayMs, work) => void timers.push({ atMs: now + delayMs, work }),
    isIdle: () => state.idle,
    turn: (site, name) => {
      seen.turns.push(`${site} ${name}`)
      return Promise.resolve(state.turn)
    },
    entryOf: (key) => entries.get(key.id) ?? null,
    neutralPage: (target) => {
      seen.runs.push(target.path)
      return Promise.resolve(neutral === null ? null : new TextEncoder().encode(neutral))
    },
    varies: (site, { why, page }) => {
      seen.found.push(`${site} ${why} ${page}`)
      return Promise.resolve()
    },
  })
  const asked = (
    path: string,
    language: string,
    over: { agent?: string; address?: string } = {},
  ): PageRequest => ({
    request: new Request(`http://a.test${path}`, {
      headers: { 'accept-language': language, 'user-agent': over.agent ?? 'Firefox' },
    }),
    context: {
      ...{ host: 'a.test', primaryDomain: 'a.test', path, secure: false },
      rule: DEFAULT_CACHE_RULE,
      clientAddress: over.address ?? '198.51.100.1',
    },
    key: entryOf(path, 0).key,
    variant: null,
    next: () => Promise.reject(new Error('Nobody is to be asked.')),
  })
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms
    for (;;) {
      const next = timers.findIndex(({ atMs }) => atMs <= end)
      if (next === -1) break
      const [timer] = timers.splice(next, 1)
      now = Math.max(now, timer?.atMs ?? now)
      timer?.work()
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    }
    now = end
  }
  const store = (path: string, language = 'de', over: Partial<CacheEntry> = {}): CacheEntry => {
    const entry = entryOf(path, now, over)
    entries.set(entry.key.id, entry)
    sampler.stored(entry, asked(path, language))
    return entry
  }
  return { sampler, seen, state, asked, pass, store, entries }
}

describe('the sampler', () => {
  it('asks twice for a page that another client was given, and tells what differs', async () => {
    const { sampler, seen, asked, pass, store } = harness()
    const entry = store('/page')
    await pass(6000)
    expect(sampler.watches(entry.key.id)).toBe(true)
    sampler.served(entry, asked('/page', 'en'))
    expect(sampler.watches(entry.key.id)).toBe(false)
    await pass(3000)
    expect(seen).toEqual({
      runs: ['/page', '/page'],
      turns: ['a.test desktop de'],
      found: ['a.test language /page'],
    })
  })

  it('says nothing where nothing differs', async () => {
    const { sampler, seen, asked, pass, store } = harness(GERMAN)
    const entry = store('/page')
    sampler.served(entry, asked('/page', 'en'))
    await pass(20_000)
    expect([seen.runs.length, seen.found]).toEqual([2, []])
  })

  it.each([
    ['another language', 'en', {}],
    ['another browser', 'de', { agent: 'Opera' }],
    ['a phone', 'de', { agent: 'Android Mobile' }],
    ['another address', 'de', { address: '198.51.100.2' }],
  ])('takes %s for another client', async (_what, language, over) => {
    const { sampler, seen, asked, pass, store } = harness()
    const entry = store('/page')
    await pass(6000)
    sampler.served(entry, asked('/page', language, over))
    await pass(3000)
    expect(seen.runs.length).toBe(2)
  })

  it('does nothing for a client that comes again, and soon no longer looks', async () => {
    const { sampler, seen, asked, pass, store } = harness()
    const entry = store('/page')
    await pass(6000)
    for (let look = 0; look < 8; look++) {
      expect(sampler.watches(entry.key.id)).toBe(true)
      sampler.served(entry, asked('/page', 'de'))
    }
    expect(sampler.watches(entry.key.id)).toBe(false)
    await pass(20_000)
    expect(seen.runs).toEqual([])
  })

  it('never asks in the wake of the visit', async () => {
    const { sampler, seen, asked, pass, store } = harness()
    const entry = store('/page')
    expect(sampler.watches(entry.key.id)).toBe(false)
    sampler.served(entry, asked('/page', 'en'))
    await pass(4900)
    expect(seen.runs).toEqual([])
    await pass(2000)
    expect(seen.runs.length).toBe(2)
  })

  it('waits until the application is idle, but not for ever', async () => {
    const { sampler, seen, state, asked, pass, store } = harness()
    state.idle = false
    sampler.served(store('/page'), asked('/page', 'en'))
    await pass(60_000)
    expect(seen.runs).toEqual([])
    state.idle = true
    await pass(2000)
    expect(seen.runs.length).toBe(2)
    state.idle = false
    sampler.served(store('/other', 'fr'), asked('/other', 'en'))
    await pass(11 * 60_000)
    state.idle = true
    await pass(5000)
    expect(seen.runs.length).toBe(2)
  })

  it('takes one sample of a class a day', async () => {
    const { sampler, seen, asked, pass, store } = harness(GERMAN)
    const sample = async (path: string, language: string): Promise<void> => {
      sampler.served(store(path, language), asked(path, 'xx'))
      await pass(10_000)
    }
    await sample('/a', 'de')
    await sample('/b', 'de-CH')
    await sample('/c', 'fr')
    expect(seen.runs).toEqual(['/a', '/a', '/c', '/c'])
    await pass(86_400_000)
    await sample('/d', 'de')
    expect(seen.runs.slice(4)).toEqual(['/d', '/d'])
  })

  it('is bounded in classes', async () => {
    const { sampler, seen, asked, pass, store } = harness(GERMAN)
    const letters = [...'abcdefghijklmnopqrst']
    for (const letter of letters) {
      sampler.served(store(`/${letter}`, `z${letter}`), asked(`/${letter}`, 'xx'))
      await pass(10_000)
    }
    expect(seen.runs.length).toBe(2 * 16)
  })

  it('asks only when it is the turn of this process', async () => {
    const { sampler, seen, state, asked, pass, store } = harness()
    state.turn = false
    sampler.served(store('/page'), asked('/page', 'en'))
    await pass(10_000)
    expect([seen.turns.length, seen.runs]).toEqual([1, []])
  })

  it('leaves pages that are gone or others now', async () => {
    const { sampler, seen, asked, pass, store, entries } = harness()
    const entry = store('/page')
    sampler.served(entry, asked('/page', 'en'))
    entries.set(entry.key.id, entryOf('/page', entry.storedAtMs + 1))
    const gone = store('/gone', 'fr')
    sampler.served(gone, asked('/gone', 'en'))
    entries.delete(gone.key.id)
    await pass(20_000)
    expect(seen.runs).toEqual([])
  })

  it.each([
    ['files', { revalidateSecs: 2 }],
    ['pages in a coding', { coding: 'gzip' }],
  ])('leaves %s', async (_what, over) => {
    const { sampler, seen, asked, pass, store } = harness()
    sampler.served(store('/page', 'de', over), asked('/page', 'en'))
    await pass(20_000)
    expect(seen.runs).toEqual([])
  })

  it('makes nothing of a neutral answer that is no page', async () => {
    const { sampler, seen, asked, pass, store } = harness(null)
    sampler.served(store('/page'), asked('/page', 'en'))
    await pass(20_000)
    expect([seen.runs, seen.found]).toEqual([['/page'], []])
  })
})
