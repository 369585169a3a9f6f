import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:http2'
import { afterEach, describe, expect, it } from 'vitest'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { answerOf, connectH2Socket, H2Client } from '../support/h2-client.ts'
import { startH2Engine, type H2Engine } from '../support/h2-engine.ts'
import { eventually } from '../support/web-process.ts'

let server: H2Engine
let client: H2Client
const start = async (
  site: SiteHandler,
  options: Parameters<typeof startH2Engine>[1] = {},
): Promise<void> => {
  server = await startH2Engine(site, options)
  client = await H2Client.open(server.port, 'a.test')
}
afterEach(async () => {
  client.close()
  await server.close()
})

const plain: SiteHandler = () => Promise.resolve(new Response('ok'))

describe('requests over HTTP/2', () => {
  it('reach the site as over HTTP/1: one Host, one Cookie, no pseudo-header fields', async () => {
    await start((request, context) => {
      const fields = JSON.stringify([...request.headers])
      const { protocol, secure, rawTarget, clientAddress } = context
      return Promise.resolve(
        Response.json([request.url, fields, protocol, secure, rawTarget, clientAddress]),
      )
    })
    const { status, body } = await client.get('/a%2Fb?c=d', {
      cookie: ['a=1', 'b=2'],
      accept: 'text/html',
      te: 'trailers',
    })
    expect(status).toBe(200)
    const [url, fields, ...rest] = JSON.parse(body) as unknown[]
    expect(url).toBe('https://a.test/a%2Fb?c=d')
    expect(rest).toEqual(['HTTP/2.0', true, '/a%2Fb?c=d', '127.0.0.1'])
    expect(JSON.parse(String(fields))).toEqual([
      ['accept', 'text/html'],
      ['cookie', 'a=1; b=2'],
      ['host', 'a.test'],
      ['te', 'trailers'],
    ])
  })

  it('stream large bodies in both directions', async () => {
    await start((request) =>
      Promise.resolve(new Response(request.body, { headers: { 'content-type': 'x/y' } })),
    )
    const bytes = randomBytes(5_000_000)
    const { status, body, code } = await client.send('/', bytes)
    expect([status, code]).toEqual([200, 0])
    const digest = (data: Buffer): string => createHash('sha256').update(data).digest('hex')
    expect(digest(Buffer.from(body, 'latin1'))).toBe(digest(bytes))
  })

  it('do not make the server read ahead of a site that does not read', async () => {
    let proceed: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (proceed = resolve))
    await start(async (request) => {
      await gate
      return new Response(String((await request.arrayBuffer()).byteLength))
    })
    const stream = client.begin('/', { ':method': 'POST' }, false)
    const answer = answerOf(stream)
    stream.end(Buffer.alloc(8_000_000))
    // Nothing moves any more once the windows are full.
    let before = -1
    await eventually('the client waits', async () => {
      const sent = client.socket.bytesWritten
      const stands = sent === before && sent > 0
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 100))
      return stands
    })
    expect(client.socket.bytesWritten).toBeLessThan(2_500_000)
    proceed()
    expect((await answer).body).toBe('8000000')
  })

  it('do not make the site run ahead of a client that does not read', async () => {
    let made = 0
    let cancelled = false
    await start(() => {
      const body = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            made += 65_536
            controller.enqueue(new Uint8Array(65_536))
          },
          cancel: () => {
            cancelled = true
          },
        },
        { highWaterMark: 0 },
      )
      return Promise.resolve(new Response(body))
    })
    const stream = client.begin('/')
    await new Promise((resolve) => stream.once('response', resolve))
    let before = -1
    await eventually('the site waits', async () => {
      const stands = made === before && made > 0
      before = made
      await new Promise((resolve) => setTimeout(resolve, 100))
      return stands
    })
    expect(made).toBeLessThan(2_000_000)
    // A client that gives up cancels the source.
    stream.close(constants.NGHTTP2_CANCEL)
    await eventually('cancelled', () => cancelled)
    expect((await client.get('/', { ':method': 'HEAD' })).status).toBe(200)
  })

  it('that their client takes back are taken back from the site', async () => {
    let aborted: (reason: unknown) => void = () => undefined
    const whenAborted = new Promise((resolve) => (aborted = resolve))
    let arrived: () => void = () => undefined
    const whenArrived = new Promise<void>((resolve) => (arrived = resolve))
    await start(
      (request) =>
        new Promise((resolve) => {
          arrived()
          request.signal.addEventListener('abort', () => {
            aborted(request.signal.reason)
            resolve(new Response('late'))
          })
        }),
    )
    const stream = client.begin('/')
    await whenArrived
    stream.close(constants.NGHTTP2_CANCEL)
    expect(String(await whenAborted)).toContain('client closed')
    expect(server.errors).toEqual([])
  })

  it('are reset when their answer breaks off, and the connection goes on', async () => {
    await start((_request, { rawTarget }) => {
      if (rawTarget === '/ok') return Promise.resolve(new Response('ok'))
      let first = true
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (first) controller.enqueue(new TextEncoder().encode('begin'))
          else controller.error(new Error('broke'))
          first = false
        },
      })
      const short = rawTarget === '/short'
      const source = short ? new TextEncoder().encode('1234') : body
      return Promise.resolve(
        new Response(source, { headers: short ? { 'content-length': '9' } : {} }),
      )
    })
    for (const path of ['/broken', '/short']) {
      expect(await client.get(path)).toMatchObject({
        status: 200,
        code: constants.NGHTTP2_INTERNAL_ERROR,
      })
    }
    expect(await client.get('/ok')).toMatchObject({ status: 200, body: 'ok', code: 0 })
    expect(server.errors).toHaveLength(2)
  })

  it('whose body stops coming are reset although their answer has begun', async () => {
    await start((request) => Promise.resolve(new Response(request.body)), { requestMs: 1000 })
    const stream = client.begin('/', { ':method': 'POST' }, false)
    stream.write('abc')
    expect(await answerOf(stream)).toMatchObject({
      status: 200,
      body: 'abc',
      code: constants.NGHTTP2_INTERNAL_ERROR,
    })
  })

  it('may have bodies up to the limit', async () => {
    await start(async (request) => new Response(String((await request.text()).length)), {
      maxBodyBytes: 1000,
    })
    expect(await client.send('/', 'x'.repeat(1000))).toMatchObject({ status: 200, body: '1000' })
    // Announced, and found out on the way.
    const announced = { 'content-length': '1001' }
    expect((await client.send('/', 'x'.repeat(1001), announced)).status).toBe(413)
    expect((await client.send('/', 'x'.repeat(200_000))).status).toBe(413)
    expect((await client.get('/')).status).toBe(200)
  })

  it('that wait for permission get it when the body is wanted', async () => {
    await start(async (request) => new Response(await request.text()))
    const stream = client.begin('/', { ':method': 'POST', expect: '100-continue' }, false)
    const answer = answerOf(stream)
    await new Promise<void>((resolve) => stream.once('continue', resolve))
    stream.end('now')
    expect(await answer).toMatchObject({ status: 200, body: 'now' })
  })

  it('are logged as HTTP/2.0', async () => {
    await start(plain)
    await client.get('/x?y', { 'user-agent': 'tést "1"', referer: 'https://r.test/' })
    expect(await server.accessLog()).toMatch(
      /^127\.0\.0\.1 - - \[.+\] "GET \/x\?y HTTP\/2\.0" 200 2 "https:\/\/r\.test\/" "t.+st \\x221\\x22" a\.test - \d\.\d{3}\n$/,
    )
  })
})

describe('slow HTTP/2 clients', () => {
  it('that say nothing, or nothing more, are closed with GOAWAY', async () => {
    await start(plain, { times: { keepAliveMs: 1000, headMs: 1000 } })
    const silent = await connectH2Socket(server.port, 'a.test')
    const gone = new Promise<void>((resolve) => silent.once('close', () => resolve()))
    silent.resume()
    expect((await client.get('/')).status).toBe(200)
    await Promise.all([client.closed, gone])
    expect(client.goneAway).toBe(true)
    await eventually('forgotten', () => server.engine.connections() === 0)
  })

  it('that do not send their body get 408', async () => {
    await start(async (request) => new Response(await request.text()), { requestMs: 1000 })
    const stream = client.begin('/', { ':method': 'POST' }, false)
    stream.write('abc')
    expect((await answerOf(stream)).status).toBe(408)
    expect(client.session.closed).toBe(false)
  })

  it('that take nothing of an answer lose the stream', async () => {
    let cancelled = false
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
        cancel: () => {
          cancelled = true
        },
      })
    await start(
      (_request, { rawTarget }) =>
        Promise.resolve(new Response(rawTarget === '/small' ? 'x'.repeat(60_000) : body())),
      { times: { stallMs: 1000 } },
    )
    // A window of nothing: not even a small answer may leave.
    client.close()
    client = await H2Client.open(server.port, 'a.test')
    client.session.settings({ initialWindowSize: 0 })
    await new Promise((resolve) => client.session.once('localSettings', resolve))
    const [small, large] = await Promise.all([client.get('/small'), client.get('/large')])
    expect([small.code, large.code]).toEqual([
      constants.NGHTTP2_INTERNAL_ERROR,
      constants.NGHTTP2_INTERNAL_ERROR,
    ])
    await eventually('cancelled', () => cancelled)
  })
})

describe('draining HTTP/2', () => {
  it('says goodbye, finishes what is under way, and ends', async () => {
    let proceed: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (proceed = resolve))
    await start(async () => {
      await gate
      return new Response('whole')
    })
    const idle = await H2Client.open(server.port, 'a.test')
    const slow = client.get('/')
    await eventually('asked', () => server.engine.counters().requests === 1)
    const drained = server.engine.drain()
    await eventually('told', () => client.goneAway)
    proceed()
    expect(await slow).toMatchObject({ status: 200, body: 'whole', code: 0 })
    await Promise.all([drained, client.closed, idle.closed])
    expect(idle.goneAway).toBe(true)
    expect(server.engine.connections()).toBe(0)
    idle.close()
  })
})
