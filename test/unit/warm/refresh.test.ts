import { describe, expect, it } from 'vitest'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import {
  type CacheEntry,
  createLayeredCache,
  createMemoryStore,
  createPageCache,
  createPurgeMarks,
  createSingleFlight,
  type PageCacheContext,
  purgeAll,
} from '#edge-cache/index.ts'

const create = () => {
  const nowMs = () => 1_000_000
  const marks = createPurgeMarks()
  const l1 = createMemoryStore({ limitBytes: 1_000_000 })
  const cache = createPageCache({
    defaultTtlSecs: 60,
    layers: createLayeredCache({ l1, l2: null, marks, nowMs }),
    marks,
    coordinator: createSingleFlight(),
    nowMs,
  })
  const asked: ((response: Response) => void)[] = []
  const stored: CacheEntry[] = []
  const context: PageCacheContext = {
    host: 'a.test',
    primaryDomain: 'a.test',
    rule: DEFAULT_CACHE_RULE,
    secure: false,
    path: '/',
  }
  const ask = async (refresh: boolean) => {
    const response = await cache.handle(
      new Request('http://a.test/', { headers: { host: 'a.test' } }),
      refresh ? { ...context, refresh: { onStored: (entry) => stored.push(entry) } } : context,
      () => new Promise((resolve) => asked.push(resolve)),
    )
    return { xCache: response.headers.get('x-cache'), text: await response.text() }
  }
  const answer = async (text: string, init: ResponseInit = {}): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    asked.shift()?.(new Response(text, { headers: { 'content-type': 'text/html' }, ...init }))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { cache, asked, stored, ask, answer }
}
const filled = async () => {
  const one = create()
  const first = one.ask(false)
  await one.answer('old')
  await first
  return one
}

describe('a refresh in place', () => {
  it('serves the old page until the new one is whole', async () => {
    const { ask, answer, stored, cache } = await filled()
    const refreshing = ask(true)
    expect(await ask(false)).toEqual({ xCache: 'HIT', text: 'old' })
    await answer('new')
    await refreshing
    expect(stored).toHaveLength(1)
    expect(await ask(false)).toEqual({ xCache: 'HIT', text: 'new' })
    expect(cache.counters()).toMatchObject({ misses: 1, hits: 2, stores: 2 })
  })

  it.each([502, 404])('leaves the old page after a %i, asked once', async (status) => {
    const { ask, answer, stored, asked } = await filled()
    const refreshing = ask(true)
    await answer('bad', { status })
    await refreshing
    expect([stored, asked]).toEqual([[], []])
    expect(await ask(false)).toEqual({ xCache: 'HIT', text: 'old' })
  })

  it('is overtaken by a purge', async () => {
    const { ask, answer, stored, cache } = await filled()
    const refreshing = ask(true)
    await new Promise((resolve) => setImmediate(resolve))
    cache.applyPurge(1, purgeAll(), 1_000_000)
    await answer('made before the purge')
    await refreshing
    expect(stored).toEqual([])
    const visitor = ask(false)
    await answer('fresh')
    expect(await visitor).toEqual({ xCache: 'MISS', text: 'fresh' })
  })
})
