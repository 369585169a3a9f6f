import { aloneHost } from '#handlers/services/on-hosts/panel-hosts.ts'
import { expect, it } from 'vitest'
import { createCacheSampler } from '#handlers/services/cache/samples.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'

it('keeps what was counted between two looks, across restarts of the web server', async () => {
  const host = createFakeHost()
  const kept: unknown[] = []
  let nowMs = Date.UTC(2026, 10, 22, 12, 7, 30)
  const sampler = createCacheSampler({
    host: aloneHost(host.ports),
    clock: { nowMs: () => nowMs },
    store: {
      addCacheSamples: (at: string, sites: unknown, before: string) => {
        kept.push([at, sites, before])
        return Promise.resolve()
      },
    } as unknown as Store,
  })
  const count = (hits: number, misses: number): void => {
    host.pageCache.counters.set('a.example', { hits, misses, bypasses: { cookie: 1 } })
  }
  host.webServer.hosts.set('a.example', {} as never)
  count(100, 10)
  await sampler.sample()
  expect(kept).toEqual([])
  count(130, 12)
  await sampler.sample()
  await sampler.sample()
  expect(kept).toEqual([
    [
      '2026-11-22 12:05:00',
      { 'a.example': { hits: 30, misses: 2, bypasses: 0 } },
      '2026-11-21 12:07:30',
    ],
  ])
  // Another run of the web server counts from 0.
  host.pageCache.run = 'second'
  nowMs += 300_000
  count(5, 1)
  await sampler.sample()
  expect(kept[1]).toEqual([
    '2026-11-22 12:10:00',
    { 'a.example': { hits: 5, misses: 1, bypasses: 1 } },
    '2026-11-21 12:12:30',
  ])
  // A worker that was killed takes some along: nothing negative is kept.
  count(3, 1)
  await sampler.sample()
  host.pageCache.running = false
  await sampler.sample()
  expect(kept).toHaveLength(2)
})
