import { createSingleFlight, purgeAll } from '#edge-cache/index.ts'
import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import {
  createHarness,
  gate,
  html,
  pieces,
  type Harness,
  type LowerLayer,
  withLower,
} from './cache-harness.ts'

const PAGE = 'http://a.test/page'
const SWR = { 'cache-control': 'max-age=60, stale-while-revalidate=30' }
const SIE = { 'cache-control': 'max-age=60, stale-if-error=600' }

const failing = (): Response => new Response('broken', { status: 503 })

/** A harness with the page `old` in it, `ageSecs` later. */
const aged = async (
  ageSecs: number,
  headers: Record<string, string>,
  options: Parameters<typeof createHarness>[0] = {},
): Promise<Harness> => {
  const harness = createHarness(options)
  harness.origin = () => html('old', headers)
  await harness.get(PAGE)
  harness.nowMs += ageSecs * 1000
  harness.seen.length = 0
  harness.origin = () => html('new', headers)
  return harness
}

/** Staleness (RFC 5861, RFC 9111 4.2.4). */
export const cacheStaleContract = (createLower: () => Promise<LowerLayer>): ContractCase[] => [
  contractCase(
    'stale-while-revalidate: everybody gets the old page at once, one request refreshes it',
    async () => {
      const harness = await aged(61, SWR)
      const { opened, open } = gate()
      harness.origin = async () => {
        await opened
        return html('new', SWR)
      }
      same(harness.cache.lookup('a.test', '/page', false), null, 'not hot')
      const answers = await Promise.all(Array.from({ length: 20 }, () => harness.ask(PAGE)))
      for (const answer of answers) {
        same(answer.headers.get('x-cache'), 'HIT')
        same(answer.headers.get('cache-status'), 'berth; hit; ttl=-1; detail=stale')
        same(answer.headers.get('age'), '61')
        same(await answer.text(), 'old')
      }
      open()
      await harness.idle()
      same(harness.seen.length, 1, 'requests to the origin')
      same(await harness.get(PAGE), { body: 'new', xCache: 'HIT' })
      holds(harness.cache.lookup('a.test', '/page', false) !== null, 'hot again')
      const { hits, staleHits, misses, stores } = harness.cache.counters()
      same({ hits, staleHits, misses, stores }, { hits: 22, staleHits: 20, misses: 1, stores: 2 })
    },
  ),
  contractCase(
    'stale-while-revalidate: workers that share a lower layer ask once, and all get the new page',
    withLower(createLower, async (lower) => {
      const options = { l2: lower.source, coordinator: createSingleFlight() }
      const first = await aged(61, SWR, options)
      const second = createHarness(options)
      second.nowMs = first.nowMs
      const { opened, open } = gate()
      const slow = async () => {
        await opened
        return html('new', SWR)
      }
      first.origin = second.origin = slow
      same(await first.get(PAGE), { body: 'old', xCache: 'HIT' })
      same(await second.get(PAGE), { body: 'old', xCache: 'HIT' })
      open()
      await Promise.all([first.idle(), second.idle()])
      same(first.seen.length + second.seen.length, 1, 'requests to the origin')
      same(await second.get(PAGE), { body: 'new', xCache: 'HIT' })
      same(await first.get(PAGE), { body: 'new', xCache: 'HIT' })
    }),
  ),
  contractCase(
    'a worker with a stale page takes the fresh one from the lower layer',
    withLower(createLower, async (lower) => {
      const first = await aged(0, SWR, { l2: lower.source })
      const second = createHarness({ l2: lower.source })
      await second.get(PAGE)
      first.nowMs += 61_000
      second.nowMs = first.nowMs
      await first.get(PAGE)
      await first.idle()
      same(await second.get(PAGE), { body: 'new', xCache: 'HIT' })
      same(second.seen.length, 0)
    }),
  ),
  contractCase('past its window a page is fetched anew', async () => {
    const harness = await aged(91, SWR)
    same(await harness.get(PAGE), { body: 'new', xCache: 'MISS' })
  }),
  contractCase(
    'without permission and grace nothing is served stale; with grace_secs it is',
    async () => {
      const cacheControl = { 'cache-control': 'max-age=60' }
      const strict = await aged(61, cacheControl)
      same(await strict.get(PAGE), { body: 'new', xCache: 'MISS' })
      const lenient = await aged(61, cacheControl, { page: { graceSecs: 10 } })
      same(await lenient.get(PAGE), { body: 'old', xCache: 'HIT' })
      await lenient.idle()
      same(await lenient.get(PAGE), { body: 'new', xCache: 'HIT' })
      const past = await aged(71, cacheControl, { page: { graceSecs: 10 } })
      same(await past.get(PAGE), { body: 'new', xCache: 'MISS' })
    },
  ),
  ...['must-revalidate', 'proxy-revalidate'].map((directive): ContractCase =>
    contractCase(`${directive} forbids what is stale, also under grace`, async () => {
      const headers = { 'cache-control': `max-age=60, stale-while-revalidate=99, ${directive}` }
      const harness = await aged(61, headers, { page: { graceSecs: 10 } })
      same(await harness.get(PAGE), { body: 'new', xCache: 'MISS' })
    }),
  ),
  ...[
    ['an error of the origin', () => failing()],
    ['an origin that throws', () => Promise.reject(new Error('no backend'))],
  ].map(([what, origin]): ContractCase =>
    contractCase(`stale-if-error: ${String(what)} gives the old page, for its window`, async () => {
      const harness = await aged(500, SIE)
      harness.origin = origin as () => Promise<Response>
      const answer = await harness.ask(PAGE)
      same(answer.headers.get('x-cache'), 'HIT')
      same(answer.headers.get('cache-status'), 'berth; hit; ttl=-440; detail=stale-if-error')
      same(await answer.text(), 'old')
      await Promise.all(Array.from({ length: 9 }, () => harness.get(PAGE)))
      same(harness.seen.length, 1, 'not asked again by every visitor')
      harness.nowMs += 3000
      harness.origin = () => html('new', SIE)
      same(await harness.get(PAGE), { body: 'new', xCache: 'MISS' })
      harness.nowMs += 700_000
      harness.origin = failing
      same((await harness.ask(PAGE)).status, 503, 'past the window')
    }),
  ),
  contractCase(
    'stale-if-error: an origin that hangs is waited for only so long, and may still store',
    async () => {
      const harness = await aged(500, SIE, { page: { errorWaitMs: 20 } })
      const { opened, open } = gate()
      harness.origin = async () => {
        await opened
        return html('late', SIE)
      }
      same(await harness.get(PAGE), { body: 'old', xCache: 'HIT' })
      open()
      await harness.idle()
      same((await harness.get(PAGE)).body, 'late')
    },
  ),
  contractCase(
    'a page that is gone, or no longer for everybody, is not served stale for long',
    async () => {
      for (const answer of [
        () => new Response('gone', { status: 404 }),
        () => html('mine', { 'cache-control': 'private' }),
        () => html('x', { ...SWR, 'set-cookie': 'a=b' }),
      ]) {
        const harness = await aged(61, SWR)
        harness.origin = answer
        same((await harness.get(PAGE)).xCache, 'HIT')
        await harness.idle()
        same((await harness.get(PAGE)).xCache, 'MISS')
        const direct = await aged(500, SIE)
        direct.origin = answer
        same((await direct.get(PAGE)).xCache, 'MISS')
      }
    },
  ),
  contractCase(
    'a refresh that fails leaves the old page, and is not repeated by every visitor',
    async () => {
      const harness = await aged(61, SWR)
      harness.origin = failing
      for (let visit = 0; visit < 5; visit++) {
        same(await harness.get(PAGE), { body: 'old', xCache: 'HIT' })
        await harness.idle()
      }
      same(harness.seen.length, 1, 'requests to the origin')
      harness.nowMs += 3000
      harness.origin = () => html('new', SWR)
      await harness.get(PAGE)
      await harness.idle()
      same(await harness.get(PAGE), { body: 'new', xCache: 'HIT' })
    },
  ),
  contractCase('a refresh whose body breaks off stores nothing', async () => {
    const harness = await aged(61, SWR)
    const body = pieces()
    harness.origin = () => html(body.stream, SWR)
    await harness.get(PAGE)
    body.send('half')
    body.breakOff()
    await harness.idle()
    same(await harness.get(PAGE), { body: 'old', xCache: 'HIT' })
  }),
  contractCase(
    'a refresh never stores after a purge, and the purged page is not served in its place',
    async () => {
      const harness = await aged(61, SWR)
      const body = pieces()
      harness.origin = () => html(body.stream, SWR)
      same((await harness.get(PAGE)).body, 'old')
      while (harness.seen.length === 0) await Promise.resolve()
      body.send('before the purge')
      harness.purge(purgeAll())
      body.end()
      await harness.idle()
      harness.origin = () => html('after', SWR)
      same(await harness.get(PAGE), { body: 'after', xCache: 'MISS' })
    },
  ),
  contractCase('a page purged while its origin fails does not stand in for the error', async () => {
    const harness = await aged(500, SIE)
    const { opened, open } = gate()
    harness.origin = async () => {
      await opened
      return failing()
    }
    const answer = harness.ask(PAGE)
    while (harness.seen.length === 0) await Promise.resolve()
    harness.purge(purgeAll())
    open()
    same((await answer).status, 503)
  }),
  contractCase(
    'HEAD, conditions and ranges are answered from a stale page; the refresh is a plain GET',
    async () => {
      const harness = await aged(61, { ...SWR, etag: '"1"' })
      const head = await harness.ask(PAGE, { method: 'HEAD' })
      same([head.headers.get('x-cache'), await head.text()], ['HIT', ''])
      const known = await harness.ask(PAGE, { headers: { 'if-none-match': '"1"', cookie: 'x=1' } })
      same(known.status, 304)
      await harness.idle()
      same([...new Set(harness.seen.map(({ method }) => method))], ['GET'])
      same(harness.seen[0]?.headers.get('if-none-match'), null)
      same(await harness.get(PAGE), { body: 'new', xCache: 'HIT' })
    },
  ),
  contractCase('the sweep keeps what may still be served stale and drops the rest', async () => {
    const harness = await aged(61, SWR)
    same(harness.layers.sweep(), 0)
    harness.nowMs += 30_000
    same(harness.layers.sweep(), 1)
  }),
]
