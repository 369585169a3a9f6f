import { cacheKey, createSingleFlight, type FillCoordinator } from '#edge-cache/index.ts'
import { cacheEntry } from './cache-entries.ts'
import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness, gate, html, mapLayer, pieces } from './cache-harness.ts'

const PAGE = 'http://a.test/page'

/** How pages get in: fills, coalescing, failures. */
export const cacheFillsContract = (): ContractCase[] => [
  contractCase('thirty misses at once ask the origin once', async () => {
    const harness = createHarness()
    const { opened, open } = gate()
    harness.origin = async () => {
      await opened
      return html('slow')
    }
    const asked = Array.from({ length: 30 }, () => harness.get(PAGE))
    open()
    const answers = await Promise.all(asked)
    same(harness.seen.length, 1, 'requests to the origin')
    same(answers.filter(({ xCache }) => xCache === 'MISS').length, 1, 'misses')
    holds(
      answers.every(({ body }) => body === 'slow'),
      'all got the page',
    )
  }),
  contractCase('an uncacheable page does not make requests wait for one another', async () => {
    const harness = createHarness()
    const { opened, open } = gate()
    let running = 0
    let most = 0
    harness.origin = async () => {
      running++
      most = Math.max(most, running)
      if (harness.seen.length > 1) await opened
      running--
      return html('mine', { 'cache-control': 'private' })
    }
    await harness.get(PAGE)
    const asked = Array.from({ length: 5 }, () => harness.get(PAGE))
    while (harness.seen.length < 6) await Promise.resolve()
    open()
    await Promise.all(asked)
    same(most, 5, 'at the same time')
  }),
  contractCase('what another worker could store meanwhile is not asked for again', async () => {
    const { source } = mapLayer()
    const [one, other] = [createHarness({ l2: source }), createHarness({ l2: source })]
    for (const harness of [one, other]) {
      harness.origin = () => html('mine', { 'cache-control': 'private' })
      await harness.get(PAGE)
      harness.origin = () => html('for all')
    }
    await one.get(PAGE)
    const { id } = (await one.layers.get(cacheKey('a.test', '/page', 'http')))!.key
    other.cache.storedElsewhere(id)
    same((await other.get(PAGE)).xCache, 'HIT', 'X-Cache')
    same(other.seen.length, 1, 'requests to the origin')
  }),
  contractCase(
    'those who waited for a page that proves uncacheable are let through before its body ends',
    async () => {
      const harness = createHarness()
      const body = pieces()
      const { opened, open } = gate()
      harness.origin = async () => {
        if (harness.seen.length > 1) return html('own', { 'cache-control': 'private' })
        await opened
        return html(body.stream, { 'cache-control': 'private' })
      }
      const leader = harness.ask(PAGE)
      const follower = harness.get(PAGE)
      open()
      same((await follower).body, 'own')
      body.end()
      await (await leader).text()
    },
  ),
  contractCase('a page that becomes cacheable is stored in spite of the marker', async () => {
    const harness = createHarness()
    harness.origin = () => new Response('broken', { status: 500 })
    await harness.get(PAGE)
    harness.origin = () => html('well')
    await harness.get(PAGE)
    same(await harness.get(PAGE), { body: 'well', xCache: 'HIT' })
  }),
  contractCase('a leader whose origin throws releases the others, who ask themselves', async () => {
    const harness = createHarness()
    const { opened, open } = gate()
    harness.origin = async () => {
      if (harness.seen.length > 1) return html('second')
      await opened
      throw new Error('backend gone')
    }
    const leader = harness.ask(PAGE).then(
      () => 'answered',
      () => 'failed',
    )
    const follower = harness.get(PAGE)
    open()
    same(await leader, 'failed')
    same((await follower).body, 'second')
  }),
  contractCase('a broken-off body is an error to its client and is not stored', async () => {
    const harness = createHarness()
    const body = pieces()
    harness.origin = () => html(body.stream)
    const response = await harness.ask(PAGE)
    body.send('<html>half')
    body.breakOff()
    const outcome = await response.text().then(
      () => 'complete',
      () => 'broken',
    )
    same(outcome, 'broken')
    harness.origin = () => html('whole')
    same(await harness.get(PAGE), { body: 'whole', xCache: 'MISS' })
  }),
  ...(['4', '6'] as const).map((length): ContractCase =>
    contractCase(`a body of 5 bytes with Content-Length ${length} is not stored`, async () => {
      const harness = createHarness()
      harness.origin = () => html('hello', { 'content-length': length })
      const response = await harness.ask(PAGE)
      await response.text().catch(() => undefined)
      harness.origin = () => html('whole')
      same(await harness.get(PAGE), { body: 'whole', xCache: 'MISS' })
    }),
  ),
  contractCase(
    'with Content-Length the last bytes wait for the store: whoever has them finds the page',
    async () => {
      const harness = createHarness()
      const body = pieces()
      harness.origin = () => html(body.stream, { 'content-length': '5' })
      const response = await harness.ask(PAGE)
      const reader = response.body!.getReader()
      body.send('he')
      same(new TextDecoder().decode((await reader.read()).value), 'he')
      body.send('llo')
      body.end()
      same(new TextDecoder().decode((await reader.read()).value), 'llo')
      holds(harness.cache.lookup('a.test', '/page', false) !== null, 'stored')
    },
  ),
  contractCase('pieces reach the client as they come', async () => {
    const harness = createHarness()
    const body = pieces()
    harness.origin = () => html(body.stream)
    const reader = (await harness.ask(PAGE)).body!.getReader()
    for (const text of ['one', 'two']) {
      body.send(text)
      same(new TextDecoder().decode((await reader.read()).value), text)
    }
    body.end()
    same((await reader.read()).done, true)
    same(await harness.get(PAGE), { body: 'onetwo', xCache: 'HIT' })
  }),
  contractCase('a client that leaves does not break the fill for those who wait', async () => {
    const harness = createHarness()
    const body = pieces()
    harness.origin = () => html(body.stream)
    const abort = new AbortController()
    const response = await harness.ask(PAGE, { signal: abort.signal })
    const follower = harness.get(PAGE)
    body.send('one ')
    abort.abort()
    await response.body!.cancel()
    body.send('two')
    body.end()
    same((await follower).body, 'one two')
    same(harness.seen.length, 1)
    same(harness.seen[0]?.signal.aborted, false, "the fill is not the client's to abort")
  }),
  contractCase(
    'a page over the limit goes through whole, is not stored, and holds nobody up',
    async () => {
      const harness = createHarness({ maxEntryBytes: 1000 })
      const big = 'x'.repeat(5000)
      harness.origin = () => html(big)
      const [first, second] = await Promise.all([harness.get(PAGE), harness.get(PAGE)])
      same([first.body.length, second.body.length], [5000, 5000])
      same((await harness.get(PAGE)).xCache, 'MISS')
    },
  ),
  contractCase(
    'over the limit the client sets the pace, and its leaving reaches the origin',
    async () => {
      const harness = createHarness({ maxEntryBytes: 10 })
      const body = pieces()
      harness.origin = () => html(body.stream)
      const response = await harness.ask(PAGE)
      body.send('more than ten bytes')
      const reader = response.body!.getReader()
      await reader.read()
      await reader.cancel()
      await body.cancelled
    },
  ),
  contractCase('browsers of every kind share one entry', async () => {
    const harness = createHarness()
    await harness.get(PAGE)
    for (const headers of [
      { 'accept-language': 'de', 'user-agent': 'x', accept: 'text/html' },
      { 'accept-encoding': 'gzip, br', 'cache-control': 'no-cache' },
      { 'x-forwarded-for': '10.0.0.1', 'x-new-header': '1', cookie: '_ga=1' },
      { referer: 'http://b.test/', 'sec-fetch-mode': 'navigate', dnt: '1' },
    ]) {
      same((await harness.get(PAGE, { headers })).xCache, 'HIT', JSON.stringify(headers))
    }
  }),
  contractCase('hosts, cases of a path, encodings, ports: who shares what', async () => {
    const harness = createHarness()
    harness.origin = (request) => html(`page ${request.url}`)
    const shared = ['http://a.test/x', 'http://A.TEST/x', 'http://a.test:8080/x']
    for (const url of shared) same((await harness.get(url)).body, 'page http://a.test/x')
    for (const url of [
      'http://b.test/x',
      'http://a.test/X',
      'http://a.test/x/',
      'http://a.test/日本',
      'http://a.test/中国',
      'http://a.test/a%2Fb',
      'http://a.test/a/b',
      'https://a.test/x',
    ]) {
      same((await harness.get(url)).xCache, 'MISS', url)
      same((await harness.get(url)).body, `page ${new URL(url).href}`, url)
    }
  }),
  contractCase('http and https share an entry where the scheme does not matter', async () => {
    const harness = createHarness()
    await harness.get('http://a.test/', { schemeMatters: false })
    same((await harness.get('https://a.test/', { schemeMatters: false })).xCache, 'HIT')
    holds(harness.cache.lookup('a.test', '/', true) !== null, 'hot over https')
    same(harness.cache.lookup('b.test', '/', true), null)
  }),
  contractCase('a request waits for another process only so long', async () => {
    const own = createSingleFlight()
    let hanging = true
    const coordinator: FillCoordinator = {
      join: (key) => (hanging ? new Promise(() => undefined) : own.join(key)),
    }
    const harness = createHarness({ coordinator, followMs: 20 })
    same(await harness.get(PAGE), { body: 'hello', xCache: 'MISS' })
    hanging = false
    same((await harness.get(PAGE)).xCache, 'HIT')
  }),
  contractCase('a coordinator that is gone stops nobody', async () => {
    const coordinator = { join: () => Promise.reject(new Error('channel closed')) }
    const harness = createHarness({ coordinator })
    same(await harness.get(PAGE), { body: 'hello', xCache: 'MISS' })
    same((await harness.get(PAGE)).xCache, 'HIT')
  }),
  contractCase('an entry from another process is served, kept, and judged first', async () => {
    const nowMs = createHarness().nowMs
    const entry = (sequence: number) =>
      cacheEntry('a.test', '/page', {
        sequence,
        storedAtMs: nowMs,
        expiresAtMs: nowMs + 60_000,
      })
    let given = entry(1)
    const harness = createHarness({
      coordinator: {
        join: () =>
          Promise.resolve({ role: 'follower', outcome: { kind: 'stored', entry: given } }),
      },
    })
    harness.marks.apply(1, [{ kind: 'tag', tag: 'host:a.test' }], 0)
    same(await harness.get(PAGE), { body: 'page a.test/page', xCache: 'HIT' })
    holds(harness.cache.lookup('a.test', '/page', false) === given, 'kept in memory')
    harness.marks.apply(2, [{ kind: 'tag', tag: 'host:a.test' }], 0)
    given = entry(1)
    same(await harness.get(PAGE), { body: 'hello', xCache: 'MISS' }, 'from before the purge')
  }),
]
