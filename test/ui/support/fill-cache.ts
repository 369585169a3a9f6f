import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import type { FakeHost } from '#test/fakes/fake-host.ts'

const STEP_MS = 300_000

/** What keeps visitors from the cache, of a site of this size. */
const seenOf = (size: number, nowMs: number) => {
  const count = (share: number): number => Math.round(size * share)
  return {
    since_ms: nowMs - 20 * 3_600_000,
    reasons: [
      { name: 'content-type', count: count(4000) },
      { name: 'cookie', count: count(210) },
      { name: 'query', count: count(96) },
      { name: 'uri-miss', count: count(60) },
      { name: 'set-cookie', count: count(12) },
      { name: 'status', count: count(4) },
    ],
    click_ids_only: count(80),
    worker_cpu: [{ at_ms: nowMs - (nowMs % 60_000), ms: 730 }],
    account_cpu: [{ at_ms: nowMs - (nowMs % 60_000), ms: 41_250 }],
    cookies: [
      { name: 'member_id', count: count(150) },
      { name: 'wordpress_logged_in_5f4dcc3b5aa765d61d8327deb882cf99', count: count(40) },
      { name: 'theme_session', count: count(20) },
    ],
    pages: [
      { path: '/', count: count(80), reason: 'cookie' },
      { path: '/shop/basket', count: count(40), reason: 'set-cookie' },
      { path: `/${'a-very-long-title-of-a-post-'.repeat(6)}`, count: count(9), reason: 'uri-miss' },
    ],
  }
}

/** A day of visitors for every site, except for three hours of the night, and pages that are stored. */
export const fillCache = async (
  host: Pick<FakeHost, 'webServer' | 'pageCache'>,
  store: Store,
  nowMs: number,
): Promise<void> => {
  const domains = [...host.webServer.hosts.keys()]
  for (const [index, domain] of domains.entries()) {
    const size = 40 / (index + 1)
    host.pageCache.counters.set(domain, {
      hits: Math.round(size * 9100),
      misses: Math.round(size * 620 * (index + 1)),
      bypasses: { cookie: Math.round(size * 210), query: Math.round(size * 96), method: 41 },
    })
    host.pageCache.seen.set(domain, seenOf(size, nowMs))
    host.pageCache.known.set(domain, {
      application: 'wordpress',
      learned_cookies: ['member_id', 'basket'].map((name) => ({ name, learned_at: '' })),
      learned_full: false,
      varies: { since_ms: nowMs - 3 * 3_600_000, why: 'language', page: '/blog' },
    })
    for (let page = 0; page < size; page++)
      host.pageCache.pages.push({ domain, path: `/blog/${page}`, tags: ['blog'] })
  }
  const last = Math.floor(nowMs / STEP_MS)
  for (let step = last - 287; step <= last; step++) {
    const hour = (step / 12) % 24
    if (hour > 2 && hour < 5) continue
    const wave = 1 + Math.sin(step / 20) * 0.6
    const sites = domains.map((domain, index) => {
      const requests = (wave * 900) / (index + 1)
      const hits = Math.round(requests * (0.84 + 0.08 * Math.sin(step / 7)))
      const misses = Math.round(requests * 0.1)
      return [domain, { hits, misses, bypasses: Math.round(requests * 0.04) }] as const
    })
    await store.addCacheSamples(
      timestamp(step * STEP_MS),
      Object.fromEntries(sites),
      timestamp(nowMs - 86_400_000),
    )
  }
}
