import type { ContentCoding } from '#edge-cache/index.ts'
import { same, type ContractCase, contractCase } from './cache-case.ts'
import {
  ETAG,
  PAGE,
  TEXT,
  encodedPage,
  encodedText,
  encodingHarness,
} from './cache-encoding-harness.ts'
import { html } from './cache-harness.ts'

/** Accept-Encoding fields and what they get, when identity, gzip and br are there. */
const CHOICES: [field: string | null, coding: ContentCoding | null][] = [
  [null, null],
  ['', null],
  ['gzip', 'gzip'],
  ['GZip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['deflate, zstd', null],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.2,br;q=0.9', 'br'],
  ['gzip;q=0', null],
  ['gzip;q=0, br', 'br'],
  ['gzip; q=0.001', 'gzip'],
  ['gzip;Q=0.5', 'gzip'],
  ['gzip;q=2', null],
  ['gzip;q=soon', null],
  ['*', 'br'],
  ['*;q=0', null],
  ['gzip, *;q=0', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['identity', null],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=1', 'gzip'],
  ['identity, gzip', 'gzip'],
  ['identity;q=0', null],
  ['identity;q=0, gzip', 'gzip'],
  ['identity;q=0, *;q=0', null],
  [',, gzip ,', 'gzip'],
]

const choice = ([field, coding]: (typeof CHOICES)[number]): ContractCase =>
  contractCase(
    `encoding: Accept-Encoding ${field ?? 'missing'} gets ${coding ?? 'identity'}, hot and cold`,
    async () => {
      const harness = await encodedPage({}, { etag: ETAG, 'accept-ranges': 'bytes' })
      const expected = coding === null ? TEXT : encodedText(TEXT, coding)
      const cold = await harness.accept(field)
      same(await cold.text(), expected, 'body')
      const { headers } = cold
      same(headers.get('x-cache'), 'HIT')
      same(headers.get('content-encoding'), coding)
      same(headers.get('content-length'), String(expected.length))
      same(headers.get('vary'), 'Accept-Encoding')
      same(headers.get('etag'), coding === null ? ETAG : `W/${ETAG}`)
      same(headers.get('accept-ranges'), coding === null ? 'bytes' : null)
      const lookup = () => harness.cache.lookup('a.test', '/page', false, field)
      const hot = lookup()
      same(hot?.body, new TextEncoder().encode(expected), 'hot body')
      for (const [name, value] of hot?.headers ?? []) same(value, headers.get(name), name)
      same(lookup() === hot, true, 'the same object')
      same(harness.seen.length, 1, 'requests to the origin')
    },
  )

const plain = (
  what: string,
  headers: Record<string, string>,
  body = TEXT,
  type = 'text/html',
): ContractCase =>
  contractCase(`encoding: ${what} stays as it is`, async () => {
    const harness = encodingHarness()
    harness.origin = () => html(body, { 'content-type': type, ...headers })
    await harness.get(PAGE)
    await harness.idle()
    const hit = await harness.accept('gzip, br')
    await harness.idle()
    same(await hit.text(), body)
    same(hit.headers.get('x-cache'), 'HIT')
    same(hit.headers.get('content-encoding'), null)
    same(hit.headers.get('vary'), null)
    same(harness.encoder.asked, [])
  })

const conditional = (
  name: string,
  headers: Record<string, string>,
  expected: { status: number; body: string; etag: string; range?: string; method?: string },
): ContractCase =>
  contractCase(`encoding: ${name}`, async () => {
    const harness = await encodedPage({}, { etag: ETAG })
    const method = expected.method ?? 'GET'
    const response = await harness.ask(PAGE, { method, headers })
    same(response.status, expected.status, 'status')
    same(await response.text(), expected.body, 'body')
    same(response.headers.get('etag'), expected.etag, 'etag')
    same(response.headers.get('vary'), 'Accept-Encoding', 'vary')
    same(response.headers.get('content-range'), expected.range ?? null)
    same(harness.seen.length, 1, 'requests to the origin')
  })

const GZIP = { 'accept-encoding': 'gzip' }
const WEAK = `W/${ETAG}`

/** Which coding a client gets, and what it is told about it. */
export const cacheEncodingRulesContract = (): ContractCase[] => [
  ...CHOICES.map(choice),
  plain('a small body', {}, TEXT.slice(0, 1000)),
  plain('no-transform', { 'cache-control': 'max-age=60, no-transform' }),
  plain('a body named by a digest', { 'content-digest': 'sha-256=:x:' }),
  ...['', 'gzip', 'br', 'gzip, br'].flatMap((codings) =>
    [ETAG, WEAK, `"x", ${WEAK}`, '*'].map((tag) =>
      conditional(
        `If-None-Match ${tag} with Accept-Encoding ${codings}`,
        { 'accept-encoding': codings, 'if-none-match': tag },
        { status: 304, body: '', etag: codings === '' ? ETAG : WEAK },
      ),
    ),
  ),
  conditional(
    'If-None-Match of another version',
    { ...GZIP, 'if-none-match': '"v2"' },
    { status: 200, body: encodedText(TEXT, 'gzip'), etag: WEAK },
  ),
  conditional(
    'a range is of the plain body',
    { ...GZIP, range: 'bytes=4-7' },
    { status: 206, body: TEXT.slice(4, 8), etag: ETAG, range: 'bytes 4-7/4000' },
  ),
  contractCase('encoding: several ranges are parts of the plain body', async () => {
    const harness = await encodedPage({}, { etag: ETAG })
    const headers = { ...GZIP, range: 'bytes=0-1,4-7' }
    const response = await harness.ask(PAGE, { headers })
    same(response.status, 206, 'status')
    same(response.headers.get('etag'), ETAG, 'etag')
    same(response.headers.get('content-encoding'), null, 'coding')
    same(response.headers.get('vary'), 'Accept-Encoding', 'vary')
    const text = await response.text()
    const shown = [...text.matchAll(/content-range: bytes ([^/]*)\/4000\r\n\r\n(.*)\r\n/g)]
    same(
      shown.map(([, range, bytes]) => [range, bytes]),
      [
        ['0-1', TEXT.slice(0, 2)],
        ['4-7', TEXT.slice(4, 8)],
      ],
    )
    same(harness.seen.length, 1, 'requests to the origin')
  }),
  conditional(
    'If-Range with the tag of an encoded body gets the whole plain body',
    { ...GZIP, range: 'bytes=4-7', 'if-range': WEAK },
    { status: 200, body: TEXT, etag: ETAG },
  ),
  conditional('HEAD of the coding', GZIP, { status: 200, body: '', etag: WEAK, method: 'HEAD' }),
  contractCase('encoding: HEAD has the length and coding of the GET', async () => {
    const harness = await encodedPage()
    for (const field of ['', 'gzip', 'br']) {
      const headers = { 'accept-encoding': field }
      const got = await harness.ask(PAGE, { headers })
      const head = await harness.ask(PAGE, { method: 'HEAD', headers })
      same(head.body, null)
      for (const name of ['content-length', 'content-encoding', 'vary']) {
        same(head.headers.get(name), got.headers.get(name), name)
      }
      same((await got.text()).length, Number(got.headers.get('content-length')))
    }
  }),
  ...[
    ['Accept-Encoding', 'Accept-Encoding'],
    ['accept-encoding', 'accept-encoding'],
    ['', ', Accept-Encoding'],
  ].map(([vary = '', expected = '']): ContractCase =>
    contractCase(`encoding: an origin's own Vary "${vary}" is kept`, async () => {
      const harness = await encodedPage({}, { vary })
      for (const field of ['', 'gzip']) {
        const got = (await harness.accept(field)).headers.get('vary') ?? ''
        same(got.replace(/^, /, ''), expected.replace(/^, /, ''))
      }
    }),
  ),
]
