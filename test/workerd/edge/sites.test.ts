import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type EdgeInstance, html, startEdge } from './edge-instance.ts'

const NINE_MIB = 9 * 2 ** 20

let edge: EdgeInstance
let runs = 0
beforeAll(async () => {
  edge = await startEdge({
    variables: {
      SITE_SHOP: {
        domain: 'shop.test',
        aliases: ['www.shop.test'],
        origin: 'http://origin.test:8080',
        max_body_size: '1M',
        timeout_secs: 1,
      },
      SITE_HTTP: {
        domain: 'http.test',
        origin: 'https://origin.test',
        cache: { mode: 'http', ttl: 60 },
      },
      SITE_SAFE: { domain: 'safe.test', origin: 'https://origin.test', redirect_https: true },
      SITE_TUNNEL: JSON.stringify({
        ...{ domain: 'tunnel.test', origin: 'https://inside.invalid', via: 'TUNNEL' },
      }),
      SITE_WRONG: { domain: 'wrong.test', origin: 'https://origin.test/path' },
      SITE_ZWEI: { domain: 'zwei.test', aliases: ['shop.test'], origin: 'https://origin.test' },
    },
  })
})
afterAll(() => edge?.close())
beforeEach(() => {
  runs = 0
  edge.origin = () => html(`run ${++runs}`)
  edge.seen.length = 0
})

test('a page is asked for once, and shown from the store at each name of its own', async () => {
  expect(await edge.get('https://shop.test/page')).toEqual({ body: 'run 1', xCache: 'MISS' })
  expect(await edge.get('https://shop.test/page')).toEqual({ body: 'run 1', xCache: 'HIT' })
  expect(await edge.get('https://www.shop.test/page')).toEqual({ body: 'run 2', xCache: 'MISS' })
})

test('a crowd at a page that is not stored runs the origin once', async () => {
  edge.origin = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return html(`run ${++runs}`)
  }
  const crowd = Array.from({ length: 40 }, () => edge.get('https://shop.test/crowd'))
  const bodies = (await Promise.all(crowd)).map(({ body }) => body)
  expect(new Set(bodies)).toEqual(new Set(['run 1']))
  expect(runs).toBe(1)
})

test('a crowd at a page that may not be stored is answered one by one', async () => {
  edge.origin = () => html(`run ${++runs}`, { 'cache-control': 'private' })
  const crowd = Array.from({ length: 20 }, () => edge.get('https://shop.test/mine'))
  expect(new Set((await Promise.all(crowd)).map(({ body }) => body)).size).toBe(20)
})

test('the origin learns name, scheme and address of the visitor from the runtime alone', async () => {
  await edge.get('https://shop.test/a%20b/?x=1', { headers: { 'user-agent': 'Test' } })
  const [{ url, headers } = new Request('http://none')] = edge.seen
  expect(url).toBe('http://origin.test:8080/a%20b/?x=1')
  expect(Object.fromEntries(headers)).toMatchObject({
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-host': 'shop.test',
    'x-forwarded-proto': 'https',
    'accept-encoding': 'identity',
    'user-agent': 'Test',
    via: '1.1 berth-edge.shop.test',
  })
})

test('names of nobody, and of sites whose variable is wrong, have no page', async () => {
  for (const host of ['nobody.test', 'wrong.test', 'zwei.test', '127.0.0.1'])
    expect((await edge.ask(`https://${host}/`)).status).toBe(404)
  expect(edge.seen).toHaveLength(0)
})

test('a stored page answers conditions, parts and HEAD by itself', async () => {
  edge.origin = () => html('0123456789', { etag: '"v1"' })
  await edge.get('https://shop.test/parts')
  const ask = (headers: Record<string, string>, method = 'GET') =>
    edge.ask('https://shop.test/parts', { headers, method })
  expect((await ask({ 'if-none-match': '"v1"' })).status).toBe(304)
  const part = await ask({ range: 'bytes=2-4' })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    ...[206, 'bytes 2-4/10', '234'],
  ])
  const head = await ask({}, 'HEAD')
  expect([head.status, head.headers.get('x-cache')]).toEqual([200, 'HIT'])
  expect(edge.seen).toHaveLength(1)
})

test('parts of what is not stored are the origin\u2019s to give', async () => {
  edge.origin = ({ headers }) =>
    new Response('cd', {
      status: headers.get('range') === 'bytes=2-3' ? 206 : 200,
      headers: { 'content-type': 'video/mp4', 'content-range': 'bytes 2-3/9' },
    })
  const headers = { range: 'bytes=2-3' }
  const part = await edge.ask('https://shop.test/film.mp4', { headers })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    ...[206, 'bytes 2-3/9', 'cd'],
  ])
})

test('who has a session, or posts, is the origin\u2019s', async () => {
  await edge.get('https://shop.test/mixed')
  const headers = { cookie: 'PHPSESSID=0123456789abcdef' }
  expect(await edge.get('https://shop.test/mixed', { headers })).toEqual({
    ...{ body: 'run 2', xCache: 'MISS' },
  })
  const body = 'a=1'
  const posted = await edge.ask('https://shop.test/mixed', { method: 'POST', body })
  expect(await posted.text()).toBe('run 3')
  expect(await edge.seen.at(-1)?.text()).toBe('a=1')
  // What was posted to may show something else now.
  expect(await edge.get('https://shop.test/mixed')).toEqual({ body: 'run 4', xCache: 'MISS' })
})

test('each visitor gets his own cookies, and who has one that the site set is not shown others\u2019 pages', async () => {
  await edge.get('https://shop.test/welcome')
  edge.origin = () => {
    const response = html(`run ${++runs}`)
    response.headers.append('set-cookie', 'mood=a; Path=/')
    response.headers.append('set-cookie', 'tone=b; Path=/')
    return response
  }
  const answer = await edge.ask('https://shop.test/choose')
  expect(answer.headers.getSetCookie()).toEqual(['mood=a; Path=/', 'tone=b; Path=/'])
  const headers = { cookie: 'mood=a' }
  expect(await edge.get('https://shop.test/welcome', { headers })).toMatchObject({ xCache: 'MISS' })
  expect(await edge.get('https://shop.test/welcome')).toMatchObject({ xCache: 'HIT' })
})

test('in mode http each edition of what varies has its place', async () => {
  edge.origin = ({ headers }) =>
    html(`${headers.get('accept-language')} ${++runs}`, {
      ...{ vary: 'accept-language', 'cache-control': 'max-age=60' },
    })
  const get = (language: string) =>
    edge.get('https://http.test/page', { headers: { 'accept-language': language } })
  expect(await get('de')).toEqual({ body: 'de 1', xCache: 'MISS' })
  expect(await get('en')).toEqual({ body: 'en 2', xCache: 'MISS' })
  expect(await get('de')).toEqual({ body: 'de 1', xCache: 'HIT' })
  expect(await get('en')).toEqual({ body: 'en 2', xCache: 'HIT' })
})

test('what asks for http where https is wanted is sent there, certificates\u2019 challenges are not', async () => {
  const moved = await edge.ask('http://safe.test/a?b')
  expect([moved.status, moved.headers.get('location')]).toEqual([301, 'https://safe.test/a?b'])
  expect((await edge.ask('http://safe.test/a', { method: 'POST' })).status).toBe(308)
  const challenge = await edge.ask('http://safe.test/.well-known/acme-challenge/x')
  expect(await challenge.text()).toBe('run 1')
})

test('a redirect of the origin is the visitor\u2019s to follow', async () => {
  edge.origin = () =>
    new Response(null, { status: 302, headers: { location: 'http://else.test/' } })
  const answer = await edge.ask('https://shop.test/away')
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'http://else.test/'])
  expect(edge.seen).toHaveLength(1)
})

test('an origin is reached through a binding where one is named', async () => {
  await edge.get('https://tunnel.test/')
  expect(edge.seen.map(({ url }) => url)).toEqual(['https://inside.invalid/'])
})

test('bodies go through, up to the site\u2019s limit, whether they say how long they are or not', async () => {
  const body = new Uint8Array(2 ** 19).fill(97)
  const send = async (bytes: Uint8Array, isStream = false) => {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.byteLength; at += 65_536)
          controller.enqueue(bytes.subarray(at, at + 65_536))
        controller.close()
      },
    })
    const sent = { method: 'PUT', body: isStream ? stream : bytes }
    return (await edge.ask('https://shop.test/upload', sent)).status
  }
  edge.origin = async (request) => new Response(String((await request.arrayBuffer()).byteLength))
  expect([await send(body), await send(body, true)]).toEqual([200, 200])
  const large = new Uint8Array(2 ** 21)
  expect([await send(large), await send(large, true)]).toEqual([413, 413])
})

test('a page that is too large to be stored goes through whole', async () => {
  edge.origin = () => html(new Uint8Array(NINE_MIB).fill(97))
  const answer = await edge.ask('https://shop.test/large')
  expect((await answer.arrayBuffer()).byteLength).toBe(NINE_MIB)
  expect((await edge.ask('https://shop.test/large')).headers.get('x-cache')).toBe('MISS')
})

test('an origin that is slow, or away, is answered for', async () => {
  edge.origin = () => new Promise((resolve) => setTimeout(() => resolve(html('late')), 1500))
  expect((await edge.ask('https://shop.test/slow')).status).toBe(504)
  edge.origin = () => {
    throw new Error('no connection')
  }
  const away = await edge.ask('https://shop.test/away')
  expect(away.status).toBeGreaterThanOrEqual(500)
  expect(away.headers.get('x-cache')).not.toBe('HIT')
})
