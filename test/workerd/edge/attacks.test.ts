import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type EdgeInstance,
  html,
  MANAGEMENT_HOST,
  MANAGEMENT_TOKEN,
  startEdge,
} from './edge-instance.ts'

let edge: EdgeInstance
let runs = 0
beforeAll(async () => {
  edge = await startEdge({
    variables: {
      SITE_SHOP: { domain: 'shop.test', origin: 'http://origin.test' },
      SITE_OTHER: { domain: 'other.test', origin: 'http://other-origin.test' },
      SITE_LOOP: { domain: 'loop.test', origin: 'http://origin.test' },
      SITE_A: { domain: 'a.test', origin: 'http://user:password@origin.test' },
      SITE_B: { domain: 'b.test', origin: 'file:///etc/passwd' },
      SITE_C: { domain: 'c.test', origin: 'http://origin.test?x' },
      SITE_D: { domain: 'd.test', origin: 'http://origin.test', via: 'MANAGEMENT_TOKEN' },
      SITE_E: { domain: MANAGEMENT_HOST, origin: 'http://origin.test' },
      SITE_F: { domain: '169.254.169.254', origin: 'http://origin.test' },
      SITE_G: { domain: 'g.test', assets: '/../etc' },
      SITE_H: '{"domain":"h.test"',
    },
  })
})
afterAll(() => edge?.close())
beforeEach(() => {
  runs = 0
  edge.origin = () => html(`run ${++runs}`)
  edge.seen.length = 0
})

/** Bytes as they are, and what comes back within two answers or the end of the connection. */
const raw = async (text: string): Promise<string> => {
  const { hostname, port } = await edge.address()
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setTimeout(1500, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
    socket.write(text, 'latin1')
  })
}

test.each([
  ['x-forwarded-host', 'evil.example'],
  ['x_forwarded_host', 'evil.example'],
  ['x-forwarded-server', 'evil.example'],
  ['x-original-host', 'evil.example'],
  ['forwarded', 'host=evil.example'],
  ['x-original-url', '/evil.example'],
  ['x-rewrite-url', '/evil.example'],
  ['x-host', 'evil.example'],
  ['x-http-host-override', 'evil.example'],
  ['x-forwarded-scheme', 'evil.example'],
  ['x-forwarded-for', 'evil.example'],
  ['true-client-ip', 'evil.example'],
  ['cf-visitor', 'evil.example'],
  ['user-agent', 'evil.example'],
  ['accept-language', 'evil.example'],
  ['referer', 'https://evil.example/'],
  ['origin', 'https://evil.example'],
  ['cookie', 'theme=evil.example'],
  ['x-anything', 'evil.example'],
])('what a visitor says in %s is shown to nobody else', async (name, value) => {
  const claim = (headers: Headers) => headers.get(name) ?? headers.get('x-forwarded-host') ?? ''
  edge.origin = ({ headers }) => html(`said: ${claim(headers)}`)
  const url = `https://shop.test/poisoned-${name}`
  await edge.get(url, { headers: { [name]: value } })
  for (let visit = 0; visit < 2; visit++) expect((await edge.get(url)).body).not.toContain('evil')
})

test('an origin believes no forwarding field of a visitor', async () => {
  const claimed = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    'x-forwarded-for': '10.0.0.1',
    'x-real-ip': '10.0.0.1',
    forwarded: 'for=10.0.0.1;host=evil.example',
    'true-client-ip': '10.0.0.1',
  }
  await edge.get('https://shop.test/claimed', { headers: claimed })
  const { headers } = edge.seen[0] ?? new Request('http://none')
  expect([...headers].filter(([, value]) => /10\.0\.0\.1|evil/.test(value))).toEqual([])
  expect(headers.get('x-forwarded-proto')).toBe('https')
})

test('pages of http are not shown to who asks for https, where the origin tells them apart', async () => {
  edge.origin = ({ headers }) => html(headers.get('x-forwarded-proto') ?? '')
  expect((await edge.get('http://shop.test/scheme')).body).toBe('http')
  expect((await edge.get('https://shop.test/scheme')).body).toBe('https')
})

test.each([
  'https://shop.test//evil.example/x',
  'https://shop.test///evil.example/x',
  'https://shop.test/\\evil.example/x',
  'https://shop.test/@evil.example/x',
  'https://shop.test/:80@evil.example/x',
  'https://shop.test/http://evil.example/x',
  'https://shop.test/%2f%2fevil.example/x',
  'https://shop.test/..%2f..%2fevil.example',
  'https://user:password@shop.test/x',
  'https://shop.test:8443/x?@evil.example',
])('no address of a visitor (%s) leads to another origin', async (url) => {
  await edge.ask(url.replace('user:password@', ''))
  for (const { url: asked } of edge.seen) expect(new URL(asked).host).toBe('origin.test')
})

test.each([
  'GET http://evil.example/x HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n',
  'GET /x HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: shop.test\r\nConnection: close\r\n\r\n',
  'GET /x HTTP/1.1\r\nHost: shop.test\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  'GET /x HTTP/1.1\r\nHost: shop.test@evil.example\r\nConnection: close\r\n\r\n',
  'GET @evil.example/x HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n',
])('no name of a visitor (%j) leads to another origin', async (text) => {
  await raw(text)
  for (const { url } of edge.seen) expect(new URL(url).host).toBe('origin.test')
})

test.each([
  ['both lengths', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['two lengths', 'Content-Length: 4\r\nContent-Length: 60\r\n\r\n0\r\n\r\n'],
  ['a coding that is none', 'Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n'],
  ['a blank before the colon', 'Transfer-Encoding : chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n'],
  [
    'fields that the connection names',
    'Connection: content-length, host\r\nContent-Length: 0\r\n\r\n',
  ],
])('a request behind another one (%s) reaches no origin under another name', async (_, rest) => {
  const hidden = 'GET /smuggled HTTP/1.1\r\nHost: other.test\r\nX: y\r\n\r\n'
  await raw(`POST /first HTTP/1.1\r\nHost: shop.test\r\n${rest}${hidden}`)
  for (const { url, headers } of edge.seen) {
    const { host, pathname } = new URL(url)
    // Whatever is taken for a request of its own is one, by its own name.
    if (pathname === '/smuggled') expect(host).toBe('other-origin.test')
    expect(headers.get('host')).toBe(host)
  }
})

test('a visitor\u2019s fields of the connection end here', async () => {
  await raw(
    'GET /hops HTTP/1.1\r\nHost: shop.test\r\nConnection: close, x-secret\r\nX-Secret: 1\r\nTE: trailers\r\nProxy-Authorization: x\r\n\r\n',
  )
  const names = edge.seen.flatMap(({ headers }) => [...headers.keys()])
  expect(names).toContain('x-forwarded-host')
  for (const name of ['x-secret', 'te', 'proxy-authorization']) expect(names).not.toContain(name)
})

test('variables that lead astray are left out, and no site answers by them', async () => {
  for (const letter of 'abcdgh') {
    expect((await edge.ask(`https://${letter}.test/`)).status).toBe(404)
  }
  expect((await edge.ask('http://169.254.169.254/')).status).toBe(404)
  expect(edge.seen).toHaveLength(0)
})

test('an origin that leads back here is noticed', async () => {
  edge.origin = async ({ headers }) => {
    const via = headers.get('via') ?? ''
    const again = await edge.ask('https://loop.test/round', { headers: { via } })
    return new Response(await again.text(), { status: again.status })
  }
  expect((await edge.ask('https://loop.test/round')).status).toBe(508)
  expect(edge.seen).toHaveLength(1)
})

test('the management API says and does nothing without its key', async () => {
  await edge.get('https://shop.test/kept')
  for (const token of [null, '', 'wrong', MANAGEMENT_TOKEN.slice(0, -1), `${MANAGEMENT_TOKEN}x`]) {
    expect((await edge.manage('/api/v1/cache/stats', { token })).status).toBe(401)
    expect((await edge.manage('/api/v1/cache/purge', { token, method: 'POST' })).status).toBe(401)
    const body = '{"urls":["/"]}'
    const warm = { token, method: 'POST', body }
    expect((await edge.manage('/api/v1/cache/warm', warm)).status).toBe(401)
  }
  expect((await edge.get('https://shop.test/kept')).xCache).toBe('HIT')
  const { body } = await edge.manage('/api/v1/status', { token: null })
  expect(Object.keys(body).sort()).toEqual([
    'stalls',
    'status',
    'uptime_secs',
    'version',
    'virtual_hosts',
    'workers',
  ])
})

test('a site\u2019s own /api/v1 is the site\u2019s, key or not', async () => {
  const headers = { authorization: `Bearer ${MANAGEMENT_TOKEN}` }
  await edge.ask('https://shop.test/api/v1/cache/purge', { method: 'POST', headers })
  expect(edge.seen.map(({ url }) => url)).toEqual(['http://origin.test/api/v1/cache/purge'])
})

test('no other name reaches the management API', async () => {
  const ask = (host: string) =>
    raw(`GET /api/v1/status HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  expect(await ask(MANAGEMENT_HOST)).toContain('"status":"ok"')
  for (const host of ['shop.test', 'nobody.test', '127.0.0.1', 'localhost', `x.${MANAGEMENT_HOST}`])
    expect(await ask(host), host).not.toContain('"status":"ok"')
})

test.each([
  ['blanks', 'tag=a%20b'],
  ['control characters', 'tag=a%00b'],
  ['line breaks', 'tag=a%0d%0aX:y'],
  ['nothing', 'tag='],
  ['more than 1024 characters', `tag=${'x'.repeat(1025)}`],
  ['more than 1000 tags', Array.from({ length: 1001 }, (_, at) => `tag=t${at}`).join('&')],
  ['a path without its site', 'path=/'],
  ['a path out of the root', 'domain=shop.test&path=/../x'],
  ['no domain', 'domain=shop.test/../x'],
])('a purge by %s is refused, and purges nothing', async (_, query) => {
  await edge.get('https://shop.test/safe')
  expect((await edge.manage(`/api/v1/cache/purge?${query}`, { method: 'POST' })).status).toBe(400)
  expect((await edge.get('https://shop.test/safe')).xCache).toBe('HIT')
})

test.each(['__proto__', 'constructor', 'HOST:shop.test', '%', '(.*)+', '\u65e5\u672c'])(
  'a purge by the tag %s hits what has it, and is over at once',
  async (tag) => {
    const query = new URLSearchParams({ tag })
    const answer = await edge.manage(`/api/v1/cache/purge?${query}`, { method: 'POST' })
    expect(answer).toMatchObject({ status: 200, body: { purged: true } })
  },
)

test('no origin tags its pages as another site\u2019s', async () => {
  edge.origin = () => html(`run ${++runs}`, { 'cache-tag': 'host:shop.test, mine' })
  await edge.get('https://other.test/tagged')
  await edge.manage('/api/v1/cache/purge?domain=shop.test', { method: 'POST' })
  expect((await edge.get('https://other.test/tagged')).xCache).toBe('HIT')
})

test('bodies that the management API has no use for are refused', async () => {
  const body = `{"urls":["${'x'.repeat(2 ** 21)}"]}`
  expect((await edge.manage('/api/v1/cache/warm', { method: 'POST', body })).status).toBe(413)
  const purge = { method: 'POST', body: 'tag=x' }
  expect((await edge.manage('/api/v1/cache/purge', purge)).status).toBe(400)
})

test('pages of others are not warmed', async () => {
  const urls = [
    'http://169.254.169.254/',
    'https://evil.example/',
    '//evil.example/',
    'ftp://shop.test/',
  ]
  const body = JSON.stringify({ urls })
  const answer = await edge.manage('/api/v1/cache/warm', { method: 'POST', body })
  expect(answer).toMatchObject({ status: 200, body: { queued: 0 } })
  expect(answer.body['rejected']).toHaveLength(urls.length)
  expect(edge.seen).toHaveLength(0)
})

test('what is warmed is there for the next visitor', async () => {
  const body = JSON.stringify({ urls: ['https://shop.test/warm'], trigger: 'test' })
  const answer = await edge.manage('/api/v1/cache/warm', { method: 'POST', body })
  expect(answer).toMatchObject({ status: 200, body: { queued: 1, rejected: [] } })
  await expect
    .poll(async () => {
      const { warm } = (await edge.manage('/api/v1/cache/stats')).body as { warm: { done: number } }
      return warm.done
    })
    .toBeGreaterThan(0)
  expect((await edge.get('https://shop.test/warm')).xCache).toBe('HIT')
})

test('pages are found by sitemap and links', async () => {
  edge.origin = ({ url }) => {
    const { pathname } = new URL(url)
    if (pathname === '/sitemap.xml')
      return new Response('<urlset><url><loc>https://other.test/found</loc></url></urlset>', {
        headers: { 'content-type': 'application/xml' },
      })
    return pathname === '/' ? html('<a href="/linked">x</a>') : html('page')
  }
  const body = JSON.stringify({ deterministic: true, domain: 'other.test' })
  const answer = await edge.manage('/api/v1/cache/warm', { method: 'POST', body })
  expect(answer).toMatchObject({ status: 200, body: { deterministic: 'queued' } })
  for (const path of ['/', '/found', '/linked'])
    await expect.poll(async () => (await edge.get(`https://other.test${path}`)).xCache).toBe('HIT')
})
