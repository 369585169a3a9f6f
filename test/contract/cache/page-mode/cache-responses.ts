import { REVALIDATE_HEADER } from '#edge-cache/index.ts'
import { holds, same, type ContractCase, contractCase } from './cache-case.ts'
import { createHarness, html, type AskOptions, type Harness } from './cache-harness.ts'

const PAGE = 'http://a.test/page'
const ETAG = '"v1"'
const MODIFIED = 'Wed, 21 Oct 2015 07:28:00 GMT'

/** A harness with a stored page of ten bytes that has validators. */
const stored = async (): Promise<Harness> => {
  const harness = createHarness()
  harness.origin = () => html('0123456789', { etag: ETAG, 'last-modified': MODIFIED })
  await harness.get(PAGE)
  return harness
}

interface Expected {
  status: number
  body: string
  range?: string
}

const conditional = (
  name: string,
  headers: Record<string, string>,
  expected: Expected,
  over: AskOptions = {},
): ContractCase =>
  contractCase(`hit: ${name}`, async () => {
    const harness = await stored()
    const response = await harness.ask(PAGE, { headers, ...over })
    same(response.status, expected.status, 'status')
    same(await response.text(), expected.body, 'body')
    same(response.headers.get('x-cache'), 'HIT')
    same(response.headers.get('content-range'), expected.range ?? null, 'content-range')
    same(response.headers.get('etag'), ETAG)
    same(harness.seen.length, 1, 'requests to the origin')
  })

const ALL = '0123456789'
const whole = { status: 200, body: ALL }
const notModified = { status: 304, body: '' }

/** What a hit looks like, and what of the origin's headers gets where. */
export const cacheResponsesContract = (): ContractCase[] => [
  conditional('If-None-Match', { 'if-none-match': ETAG }, notModified),
  conditional('If-None-Match, weak, in a list', { 'if-none-match': '"x", W/"v1"' }, notModified),
  conditional('If-None-Match *', { 'if-none-match': '*' }, notModified),
  conditional('If-None-Match of another', { 'if-none-match': '"v2"' }, whole),
  conditional('If-Modified-Since', { 'if-modified-since': MODIFIED }, notModified),
  conditional(
    'If-None-Match counts before If-Modified-Since',
    { 'if-none-match': '"v2"', 'if-modified-since': MODIFIED },
    whole,
  ),
  conditional(
    'an older If-Modified-Since',
    {
      'if-modified-since': 'Wed, 21 Oct 2015 07:27:59 GMT',
    },
    whole,
  ),
  conditional('If-Match of another', { 'if-match': '"v2"' }, { status: 412, body: '' }),
  conditional('range', { range: 'bytes=2-4' }, { status: 206, body: '234', range: 'bytes 2-4/10' }),
  conditional(
    'open range',
    { range: 'bytes=7-' },
    {
      status: 206,
      body: '789',
      range: 'bytes 7-9/10',
    },
  ),
  conditional(
    'suffix range',
    { range: 'bytes=-2' },
    {
      status: 206,
      body: '89',
      range: 'bytes 8-9/10',
    },
  ),
  conditional(
    'range beyond the end',
    { range: 'bytes=8-99' },
    {
      status: 206,
      body: '89',
      range: 'bytes 8-9/10',
    },
  ),
  conditional(
    'unsatisfiable range',
    { range: 'bytes=10-' },
    {
      status: 416,
      body: '',
      range: 'bytes */10',
    },
  ),
  conditional(
    'blanks around a range',
    { range: 'bytes= 0-1 ' },
    { status: 206, body: '01', range: 'bytes 0-1/10' },
  ),
  conditional('a range full of blanks', { range: `bytes=${' '.repeat(15_900)}x` }, whole),
  conditional('more bytes than there are get everything', { range: 'bytes=0-8,3-4' }, whole),
  conditional('very many ranges get everything', { range: `bytes=${'0-0,'.repeat(33)}` }, whole),
  conditional(
    'of several ranges the one that exists',
    { range: 'bytes=20-30, ,8-9' },
    { status: 206, body: '89', range: 'bytes 8-9/10' },
  ),
  contractCase('hit: several ranges come as parts, in the order asked for', async () => {
    const harness = await stored()
    const response = await harness.ask(PAGE, { headers: { range: 'bytes=7-8, 0-1,-1' } })
    same(response.status, 206)
    same(response.headers.get('content-range'), null)
    same(response.headers.get('x-cache'), 'HIT')
    same(response.headers.get('etag'), ETAG)
    const type = response.headers.get('content-type') ?? ''
    const boundary = /^multipart\/byteranges; boundary=(\w{20,70})$/.exec(type)?.[1] ?? ''
    const text = await response.text()
    same(response.headers.get('content-length'), String(text.length))
    const part = (range: string, bytes: string): string =>
      `--${boundary}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-range: bytes ${range}/10\r\n\r\n${bytes}\r\n`
    same(text, `${part('7-8', '78')}${part('0-1', '01')}${part('9-9', '9')}--${boundary}--\r\n`)
    same(harness.seen.length, 1, 'requests to the origin')
  }),
  contractCase(
    'a range on a miss is asked of the origin as it is, and its answer is not stored',
    async () => {
      const harness = createHarness()
      harness.origin = (request) =>
        request.headers.get('range') === null
          ? html('0123456789')
          : new Response('23', {
              status: 206,
              headers: { 'content-type': 'text/html', 'content-range': 'bytes 2-3/10' },
            })
      for (const range of ['bytes=2-3', 'bytes=2-3,5-6']) {
        const headers = { range, 'if-range': '"x"' }
        const response = await harness.ask(PAGE, { headers })
        same([response.status, await response.text()], [206, '23'])
        const asked = harness.seen.at(-1)?.headers
        same([asked?.get('range'), asked?.get('if-range')], [range, '"x"'])
      }
      same(await (await harness.ask(PAGE)).text(), '0123456789')
    },
  ),
  conditional('a reversed range gets everything', { range: 'bytes=4-2' }, whole),
  conditional(
    'If-Range of the same',
    { range: 'bytes=0-0', 'if-range': ETAG },
    {
      status: 206,
      body: '0',
      range: 'bytes 0-0/10',
    },
  ),
  conditional('If-Range of another', { range: 'bytes=0-0', 'if-range': '"v2"' }, whole),
  conditional(
    'HEAD ignores ranges',
    { range: 'bytes=0-0' },
    { status: 200, body: '' },
    {
      method: 'HEAD',
    },
  ),
  contractCase(
    'a hit replays every end-to-end header, adds Age, and drops what belongs to a connection',
    async () => {
      const harness = createHarness()
      harness.origin = () => {
        const response = html('x', {
          'cache-control': 'max-age=600',
          'content-language': 'de',
          'content-security-policy': "default-src 'self'",
          'x-frame-options': 'DENY',
          'x-powered-by': 'PHP',
          connection: 'close, x-hop',
          'keep-alive': 'timeout=5',
          'x-hop': '1',
          'x-cache': 'HIT',
          'cache-status': 'forged; hit',
        })
        response.headers.append('link', '</a.css>; rel=preload')
        response.headers.append('link', '</b.js>; rel=preload')
        return response
      }
      await harness.get(PAGE)
      harness.nowMs += 12_345
      const { headers } = await harness.ask(PAGE)
      same(headers.get('cache-control'), 'max-age=600')
      same(headers.get('content-language'), 'de')
      same(headers.get('content-security-policy'), "default-src 'self'")
      same(headers.get('x-frame-options'), 'DENY')
      same(headers.get('x-powered-by'), 'PHP')
      same(headers.get('link'), '</a.css>; rel=preload, </b.js>; rel=preload')
      same(headers.get('content-type'), 'text/html; charset=utf-8')
      same(headers.get('age'), '12')
      same(headers.get('content-length'), '1')
      same(headers.get('x-cache'), 'HIT')
      same(headers.get('cache-status'), 'berth; hit; ttl=587')
      for (const name of ['connection', 'keep-alive', 'x-hop']) same(headers.get(name), null, name)
    },
  ),
  contractCase('Age is never negative, also when the clock was set back', async () => {
    const harness = await stored()
    harness.nowMs -= 60_000
    same((await harness.ask(PAGE)).headers.get('age'), '0')
  }),
  contractCase('tag headers never reach the client: miss, hit, bypass, cache off', async () => {
    const names = ['x-cache-tag', 'surrogate-key', 'cache-tag', 'x-litespeed-tag']
    const harness = createHarness()
    harness.origin = () =>
      html('x', Object.fromEntries([...names, REVALIDATE_HEADER].map((name) => [name, '9'])))
    for (const options of [{}, {}, { method: 'POST' }, { rule: { enable: false } }]) {
      const { headers } = await harness.ask(PAGE, options)
      for (const name of [...names, REVALIDATE_HEADER]) same(headers.get(name), null, name)
    }
  }),
  contractCase(
    'a miss passes everything of the origin through, X-Cache and Cache-Status apart',
    async () => {
      const harness = createHarness()
      const redirect = Response.redirect('http://a.test/next', 302)
      harness.origin = () => redirect
      const response = await harness.ask(PAGE)
      same(response.status, 302)
      same(response.headers.get('location'), 'http://a.test/next')
      same(response.headers.get('x-cache'), 'MISS')
    },
  ),
  contractCase('a byte-identical body: binary, and in many pieces', async () => {
    const harness = createHarness()
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256)
    const scratch = new Uint8Array(1000)
    harness.origin = () => {
      let at = 0
      const source = {
        // An origin that uses one buffer for all pieces, and reads on only when asked.
        pull(controller: ReadableStreamDefaultController<Uint8Array>) {
          if (at === bytes.length) {
            controller.close()
            return
          }
          scratch.set(bytes.subarray(at, at + 1000))
          at += 1000
          controller.enqueue(scratch)
        },
      }
      const body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 })
      return html(body)
    }
    const miss = new Uint8Array(await (await harness.ask(PAGE)).arrayBuffer())
    const hit = await harness.ask(PAGE)
    same(hit.headers.get('x-cache'), 'HIT')
    holds(miss.length === bytes.length && miss.every((b, i) => b === bytes[i]), 'miss')
    const again = new Uint8Array(await hit.arrayBuffer())
    holds(again.length === bytes.length && again.every((b, i) => b === bytes[i]), 'hit')
  }),
  contractCase('HEAD stays HEAD while nothing is stored, and stores nothing', async () => {
    const harness = createHarness()
    harness.origin = ({ method }) =>
      html(method === 'HEAD' ? null : 'hello', { 'content-length': '5' })
    const head = await harness.ask(PAGE, { method: 'HEAD' })
    same(head.body, null)
    same(head.headers.get('content-length'), '5')
    same(head.headers.get('x-cache'), 'MISS')
    same(
      harness.seen.map((request) => request.method),
      ['HEAD'],
    )
    same(await harness.get(PAGE), { body: 'hello', xCache: 'MISS' })
    same((await harness.ask(PAGE, { method: 'HEAD' })).headers.get('x-cache'), 'HIT')
    same(harness.seen.length, 2)
  }),
  contractCase(
    'an edited file is seen: asked again after its time, by validator, and replaced',
    async () => {
      const harness = createHarness()
      let version = 1
      harness.origin = (request) =>
        request.headers.get('if-none-match') === `"${version}"`
          ? new Response(null, { status: 304, headers: { etag: `"${version}"` } })
          : html(`v${version}`, { etag: `"${version}"`, [REVALIDATE_HEADER]: '1' })
      same(await harness.get(PAGE), { body: 'v1', xCache: 'MISS' })
      const entry = harness.cache.lookup('a.test', '/page', false)
      holds(entry !== null, 'hot hit within the second')
      harness.nowMs += 1000
      same(harness.cache.lookup('a.test', '/page', false), null, 'fast path after the second')
      same(await harness.get(PAGE), { body: 'v1', xCache: 'HIT' })
      same(harness.seen.length, 2)
      holds(harness.cache.lookup('a.test', '/page', false) === entry, 'the same object stays')
      version = 2
      harness.nowMs += 1000
      same(await harness.get(PAGE), { body: 'v2', xCache: 'MISS' })
      same(await harness.get(PAGE), { body: 'v2', xCache: 'HIT' })
      harness.nowMs += 1000
      harness.origin = () => new Response('gone', { status: 404 })
      same((await harness.ask(PAGE)).status, 404)
      same(harness.cache.lookup('a.test', '/page', false), null, 'the deleted page')
    },
  ),
]
