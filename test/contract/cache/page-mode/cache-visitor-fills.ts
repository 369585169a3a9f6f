import { SCRIPT_HEADER } from '#edge-cache/index.ts'
import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness, gate, html, type AskOptions } from './cache-harness.ts'

const PAGE = 'http://a.test/page'
const BROWSER: Record<string, string> = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'de-DE,de;q=0.9,en;q=0.8',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'upgrade-insecure-requests': '1',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
  priority: 'u=0, i',
  cookie: '_ga=GA1.1.123456789.1700000000; _gid=GA1.2.22222222.33333333',
}

/** Two visits of two people; what the second got, and how often the origin was asked. */
const twoVisits = async (
  origin: (request: Request) => Response,
  first: AskOptions,
): Promise<{ body: string; xCache: string | null; runs: number; seen: Request[] }> => {
  const harness = createHarness()
  harness.origin = origin
  await (await harness.ask(PAGE, first)).text()
  await harness.idle()
  const second = await harness.get(PAGE)
  return { ...second, runs: harness.seen.length, seen: harness.seen }
}

const once = (name: string, origin: () => Response, options: AskOptions = {}): ContractCase =>
  contractCase(`one visit is one run: ${name}`, async () => {
    const harness = createHarness()
    harness.origin = origin
    for (let visit = 1; visit < 4; visit++) {
      const response = await harness.ask(PAGE, { headers: BROWSER, ...options })
      await response.text()
      await harness.idle()
      same(harness.seen.length, visit, 'runs')
    }
  })

/** An answer that shows something of the request to whoever gets it. */
const shown = (name: string, headers: Record<string, string>, show: string): ContractCase =>
  contractCase(`what a visitor chose is shown to nobody else: ${name}`, async () => {
    const { body, xCache, runs } = await twoVisits(
      (request) =>
        html(
          Object.entries(headers).some(([field, value]) => request.headers.get(field) === value)
            ? `<p>${show}</p>`
            : '<p>for all</p>',
        ),
      { headers },
    )
    same(body, '<p>for all</p>')
    // Filled behind the visitor's answer by a request that is nobody's.
    same([xCache, runs], ['HIT', 2])
  })

/** `fills = "visitor"`, the default: one visit is one run, and nobody shapes what others see. */
export const cacheVisitorFillsContract = (): ContractCase[] => [
  contractCase(
    "a miss sends the visitor's own request, and its answer is everybody's",
    async () => {
      const { body, xCache, runs, seen } = await twoVisits(() => html('page'), { headers: BROWSER })
      same([body, xCache, runs], ['page', 'HIT', 1])
      const asked = seen[0]
      for (const name of ['user-agent', 'accept-language', 'cookie', 'sec-fetch-dest'])
        same(asked?.headers.get(name), BROWSER[name], name)
      same(asked?.headers.get('accept-encoding'), null)
    },
  ),
  once('200 that is private', () => html('x', { 'cache-control': 'private' })),
  once('no-store', () => html('x', { 'cache-control': 'no-store' })),
  once('Set-Cookie', () => html('x', { 'set-cookie': 'a=b' })),
  once('Vary', () => html('x', { vary: 'Cookie' })),
  once('JSON', () => new Response('{}', { headers: { 'content-type': 'application/json' } })),
  ...[204, 301, 302, 303, 307, 308, 400, 401, 403, 404, 410, 429, 500, 502, 503].map((status) =>
    once(
      `${status}`,
      () =>
        new Response(status === 204 ? null : 'x', { status, headers: { location: '/elsewhere' } }),
    ),
  ),
  once('an odd field', () => html('x'), { headers: { 'x-odd': '1' } }),
  once('HEAD', () => html(null), { method: 'HEAD' }),
  once('an unknown cookie', () => html('x'), { headers: { cookie: 'currency=eur' } }),
  once('a range', () => html('x'), { headers: { range: 'bytes=0-1' } }),
  shown('browser', { 'user-agent': 'Distinctive/1' }, 'you use distinctive'),
  shown('language', { 'accept-language': 'xx-evilish' }, 'EVILISH'),
  shown('referer', { referer: 'http://other.test/secret-page' }, 'back to /secret-page'),
  shown(
    'value of a field, escaped',
    { accept: 'text/html, a/b;<x>&"y"' },
    'text/html, a/b;&lt;x&gt;&amp;&quot;y&quot;',
  ),
  shown('value in percent-encoding', { 'accept-language': 'a,b;c/d' }, 'a%2Cb%3Bc%2Fd'),
  shown('value in Base64', { 'user-agent': 'some agent' }, `x${btoa('some agent and more')}`),
  shown('harmless cookie', { cookie: '_ga=GA1.1.987654321.1' }, '987654321'),
  shown('bytes beyond ASCII', { 'user-agent': 'agent-d\u00c3\u00a9j\u00c3\u00a0' }, 'déjà'),
  shown('short value', { 'user-agent': 'me' }, 'hello me'),
  shown('wish not to be followed', { dnt: '1' }, 'nothing is measured'),
  contractCase('what a visitor chose is shown to nobody else: his address', async () => {
    const harness = createHarness()
    const clientAddress = '203.0.113.77'
    harness.origin = () => html(harness.seen.length === 1 ? clientAddress : 'for all')
    await harness.get(PAGE, { clientAddress })
    await harness.idle()
    same(await harness.get(PAGE), { body: 'for all', xCache: 'HIT' })
  }),
  contractCase(
    'what a visitor chose is shown to nobody else: in a field of the answer',
    async () => {
      const { body, xCache } = await twoVisits(
        (request) => {
          const agent = request.headers.get('user-agent') ?? ''
          return agent.startsWith('Evil') ? html('evil', { 'x-agent': agent }) : html('for all')
        },
        { headers: { 'user-agent': 'Evilish/1' } },
      )
      same([body, xCache], ['for all', 'HIT'])
    },
  ),
  contractCase(
    'a page that shows its visitor is filled once for those who ask meanwhile',
    async () => {
      const harness = createHarness()
      const { opened, open } = gate()
      harness.origin = async (request) => {
        await opened
        return html(`agent ${request.headers.get('user-agent')?.slice(0, 11) ?? ''}`)
      }
      const asked = ['Distinct-1/', 'Distinct-2/', 'Distinct-3/'].map((agent) =>
        harness.get(PAGE, { headers: { 'user-agent': agent } }),
      )
      open()
      const bodies = (await Promise.all(asked)).map(({ body }) => body)
      same(bodies, ['agent Distinct-1/', 'agent Mozilla/5.0', 'agent Mozilla/5.0'])
      same(harness.seen.length, 2)
    },
  ),
  contractCase(
    'an odd request is answered by itself, and turns the cache off for nobody',
    async () => {
      const harness = createHarness()
      harness.origin = ({ headers }) =>
        headers.has('x-odd') ? new Response('no', { status: 400 }) : html('page')
      for (let n = 0; n < 3; n++) await harness.get(PAGE, { headers: { 'x-odd': '1' } })
      same(await harness.get(PAGE), { body: 'page', xCache: 'MISS' })
      same(await harness.get(PAGE, { headers: { 'x-odd': '1' } }), { body: 'page', xCache: 'HIT' })
      same(harness.seen.length, 4)
    },
  ),
  contractCase('an odd request waits for nobody, and nobody for it', async () => {
    const harness = createHarness()
    const { opened, open } = gate()
    harness.origin = async ({ headers }) => {
      if (headers.has('x-odd')) await opened
      return html('page')
    }
    const odd = harness.get(PAGE, { headers: { 'x-odd': '1' } })
    same((await harness.get(PAGE)).xCache, 'MISS')
    same((await harness.get(PAGE)).xCache, 'HIT')
    open()
    same((await odd).body, 'page')
  }),
  contractCase(
    'conditions are taken off: the page is filled, and who has that version is told so',
    async () => {
      const harness = createHarness()
      harness.origin = () => html('whole', { etag: '"v1"' })
      const headers = { 'if-none-match': '"v1"' }
      const answer = await harness.ask(PAGE, { headers })
      same([answer.status, answer.headers.get('etag')], [304, '"v1"'])
      same(harness.seen[0]?.headers.get('if-none-match'), null)
      await harness.idle()
      same(await harness.get(PAGE), { body: 'whole', xCache: 'HIT' })
      same((await harness.ask(PAGE, { headers })).status, 304)
      const other = createHarness()
      other.origin = harness.origin
      same((await other.ask(PAGE, { headers: { 'if-none-match': '"v0"' } })).status, 200)
    },
  ),
  contractCase(
    'where the answer is nobody else’s, conditions reach the origin from the second visit on',
    async () => {
      const harness = createHarness()
      harness.origin = ({ headers }) =>
        headers.has('if-none-match')
          ? new Response(null, { status: 304 })
          : html('mine', { etag: '"v1"', 'cache-control': 'private', 'set-cookie': 'a=b' })
      const headers = { 'if-none-match': '"v1"' }
      const first = await harness.ask(PAGE, { headers })
      same([first.status, first.headers.get('set-cookie')], [304, 'a=b'])
      same((await harness.ask(PAGE, { headers })).status, 304)
      same(harness.seen[1]?.headers.get('if-none-match'), '"v1"')
      same(harness.seen.length, 2)
    },
  ),
  contractCase('a range goes to the origin as it is, and fills nothing', async () => {
    const harness = createHarness()
    harness.origin = ({ headers }) =>
      headers.has('range') ? new Response('wh', { status: 206 }) : html('whole')
    same((await harness.ask(PAGE, { headers: { range: 'bytes=0-1' } })).status, 206)
    same(await harness.get(PAGE), { body: 'whole', xCache: 'MISS' })
  }),
  contractCase('a page that becomes everybody’s is stored by whoever asks next', async () => {
    const harness = createHarness()
    harness.origin = () => html('mine', { 'set-cookie': 'session=1' })
    await harness.get(PAGE, { headers: BROWSER })
    harness.origin = () => html('for all')
    await harness.get(PAGE, { headers: BROWSER })
    same(await harness.get(PAGE), { body: 'for all', xCache: 'HIT' })
  }),
  contractCase('what a trusted proxy says is ordinary, and shown to nobody else', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9, 10.0.0.1', via: '1.1 cdn' }
    for (const [isTrustedProxy, runs] of [
      [true, 1],
      [false, 2],
    ] as const) {
      const harness = createHarness()
      await harness.get(PAGE, { headers, isTrustedProxy })
      await harness.get(PAGE)
      same(harness.seen.length, runs, `trusted: ${isTrustedProxy}`)
    }
    const harness = createHarness()
    harness.origin = (request) =>
      html(request.headers.has('x-forwarded-for') ? 'you are 203.0.113.9' : 'for all')
    await harness.get(PAGE, { headers, isTrustedProxy: true })
    await harness.idle()
    same(await harness.get(PAGE), { body: 'for all', xCache: 'HIT' })
  }),
  contractCase(
    'a visitor who leaves ends neither the fill nor the neutral request behind it',
    async () => {
      const harness = createHarness()
      const abort = new AbortController()
      const { opened, open } = gate()
      harness.origin = async () => {
        await opened
        return html('page')
      }
      const asked = harness.ask(PAGE, { signal: abort.signal })
      abort.abort()
      open()
      await (await asked).body?.cancel()
      await harness.idle()
      same(harness.seen[0]?.signal.aborted, false)
      same((await harness.get(PAGE)).xCache, 'HIT')
    },
  ),
  ...(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPPATCH'] as const).map((method): ContractCase =>
    contractCase(
      `${method} that succeeds makes its own page and those it names new (RFC 9111, 4.4)`,
      async () => {
        const harness = createHarness()
        let location = '/list'
        let status = 303
        harness.origin = (request) =>
          request.method === method
            ? new Response(null, {
                status,
                headers: { location, 'content-location': 'http://a.test/other' },
              })
            : html(`run ${harness.seen.length}`)
        const urls = ['/page', '/list', '/other', '/untouched'].map(
          (path) => `http://a.test${path}`,
        )
        const views = async () =>
          Promise.all(urls.map(async (url) => (await harness.get(url)).xCache === 'HIT'))
        await views()
        await harness.ask(PAGE, { method })
        same(await views(), [false, false, false, true])
        status = 500
        await harness.ask(PAGE, { method })
        same(await views(), [true, true, true, true], 'after an error')
        status = 200
        location = 'http://b.test/untouched'
        await harness.ask(PAGE, { method })
        same(await views(), [false, true, false, true], 'of another host')
      },
    ),
  ),
  contractCase('reads and PROPFIND change nothing', async () => {
    const harness = createHarness()
    harness.origin = (request) =>
      request.method === 'GET' ? html('page') : new Response(null, { status: 200 })
    await harness.get(PAGE)
    for (const method of ['OPTIONS', 'PROPFIND', 'HEAD']) await harness.ask(PAGE, { method })
    same((await harness.get(PAGE)).xCache, 'HIT')
  }),
  contractCase(
    'invalidations of many addresses stay bounded, and stored pages are always hit',
    async () => {
      const purged: string[] = []
      const harness = createHarness({
        page: {
          invalidate: (scopes) => {
            for (const scope of scopes) if (scope.kind === 'key') purged.push(scope.id)
            harness.purge([...scopes])
            return Promise.resolve()
          },
        },
      })
      harness.origin = (request) =>
        request.method === 'GET' ? html('page') : new Response(null, { status: 200 })
      await harness.get('http://a.test/stored')
      for (let n = 0; n < 600; n++) await harness.ask(`http://a.test/${n}`, { method: 'POST' })
      holds(purged.length <= 3 * 500, `${purged.length} marks`)
      await harness.ask('http://a.test/stored', { method: 'POST' })
      same((await harness.get('http://a.test/stored')).xCache, 'MISS')
    },
  ),
  contractCase(
    'a page whose script changed is new within five seconds, and so are all that the script made',
    async () => {
      let version = 'a'
      let changedAtMs = 0
      let looks = 0
      const harness = createHarness({
        page: {
          fileVersion: (file) => {
            looks++
            return Promise.resolve(file === '/site/a%b.php' ? { version, changedAtMs } : null)
          },
        },
      })
      harness.origin = () =>
        html(`of ${version}`, { [SCRIPT_HEADER]: encodeURIComponent('/site/a%b.php') })
      const other = 'http://a.test/other'
      const page = await harness.ask(PAGE)
      same(page.headers.get(SCRIPT_HEADER), null)
      await page.text()
      await harness.get(other)
      looks = 0
      harness.nowMs += 4999
      holds(harness.cache.lookup('a.test', '/page', false) !== null, 'the fast path answers')
      same(looks, 0, 'looks within five seconds')
      harness.nowMs += 1
      same(harness.cache.lookup('a.test', '/page', false), null, 'the fast path hands over')
      same(await harness.get(PAGE), { body: 'of a', xCache: 'HIT' })
      same(await harness.get(PAGE), { body: 'of a', xCache: 'HIT' })
      holds(harness.cache.lookup('a.test', '/page', false) !== null, 'the fast path answers again')
      same(looks, 1, 'looks of five seconds')
      version = 'b'
      changedAtMs = harness.nowMs
      harness.nowMs += 5000
      same(await harness.get(PAGE), { body: 'of b', xCache: 'MISS' })
      same(await harness.get(PAGE), { body: 'of b', xCache: 'HIT' })
      same(await harness.get(other), { body: 'of b', xCache: 'MISS' })
    },
  ),
  contractCase(
    'a page made just after its script changed may be of the edition before, and is made once more',
    async () => {
      const harness = createHarness({
        page: {
          fileVersion: () =>
            Promise.resolve({ version: 'new', changedAtMs: harness.nowMs - agoMs }),
        },
      })
      let agoMs = 1000
      harness.origin = () => html('page', { [SCRIPT_HEADER]: '/site/a.php' })
      await harness.get(PAGE)
      same((await harness.get(PAGE)).xCache, 'HIT')
      harness.nowMs += 5000
      agoMs += 5000
      same((await harness.get(PAGE)).xCache, 'MISS')
      harness.nowMs += 5000
      agoMs += 5000
      same((await harness.get(PAGE)).xCache, 'HIT')
    },
  ),
]
