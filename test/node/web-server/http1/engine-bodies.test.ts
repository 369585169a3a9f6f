import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { startEngine, type EngineServer } from '../support/engine-server.ts'
import { exchange, RawClient, splitResponses } from '../support/raw-client.ts'

let server: EngineServer
afterEach(() => server.close())

const digest = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')
const post = (fields: string, body = ''): string =>
  `POST /up HTTP/1.1\r\nHost: a.test\r\n${fields}\r\n${body}`

/** Answers the digest of the body. */
const digesting: SiteHandler = async (request) =>
  new Response(digest(new Uint8Array(await request.arrayBuffer())))

describe('request bodies', () => {
  it('arrive whole, counted and chunked', async () => {
    server = await startEngine(digesting)
    const body = Buffer.alloc(3_000_000, 'abcdefghij')
    const counted = await exchange(
      server.port,
      Buffer.concat([Buffer.from(post(`Content-Length: ${body.length}\r\n`)), body]),
    )
    expect(splitResponses(counted)[0]).toMatchObject({ status: 200, body: digest(body) })
    const chunked = await exchange(
      server.port,
      post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n'),
    )
    expect(splitResponses(chunked)[0]?.body).toBe(digest('hello world'))
  })

  it('are invited by 100 Continue only when somebody reads them', async () => {
    server = await startEngine(async (request, context) =>
      context.rawTarget === '/no'
        ? new Response('not wanted', { status: 403 })
        : digesting(request, context),
    )
    const expecting = 'Expect: 100-continue\r\nContent-Length: 5\r\n'
    const client = new RawClient(server.port)
    client.write(post(expecting))
    await client.until((text) => text.includes('100 Continue\r\n\r\n'))
    client.write('hello')
    await client.until((text) => text.includes(digest('hello')))
    const answers = splitResponses(client.text)
    expect(answers.map(({ status }) => status)).toEqual([100, 200])
    client.destroy()
    const refused = await exchange(server.port, post(expecting).replace('/up', '/no'), {
      halfClose: false,
    })
    expect(splitResponses(refused).map(({ status }) => status)).toEqual([403])
  })

  it('are refused when they are too large, announced or not', async () => {
    server = await startEngine(
      async (request) => {
        try {
          return new Response(String((await request.arrayBuffer()).byteLength))
        } catch {
          return new Response('it broke off', { status: 400 })
        }
      },
      { maxBodyBytes: 10 },
    )
    const over = await exchange(server.port, post('Content-Length: 11\r\n', 'x'.repeat(11)))
    expect(splitResponses(over)).toMatchObject([{ status: 413 }])
    const chunked = await exchange(
      server.port,
      post('Transfer-Encoding: chunked\r\n', 'b\r\nxxxxxxxxxxx\r\n0\r\n\r\n'),
    )
    expect(splitResponses(chunked)).toMatchObject([{ status: 413 }])
    const within = await exchange(server.port, post('Content-Length: 10\r\n', 'x'.repeat(10)))
    expect(splitResponses(within)).toMatchObject([{ status: 200, body: '10' }])
  })

  it('that nobody read end the connection, so that they are never taken for a request', async () => {
    server = await startEngine(() => Promise.resolve(new Response('no', { status: 403 })))
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: a.test\r\n\r\n'
    const text = await exchange(
      server.port,
      post(`Content-Length: ${hidden.length + 5}\r\n`, hidden),
      { halfClose: false },
    )
    expect(splitResponses(text)).toMatchObject([{ status: 403, headers: { connection: 'close' } }])
  })
})

describe('answers', () => {
  const slowly = (parts: string[], end: 'close' | 'error'): ReadableStream<Uint8Array> =>
    new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 10))
        const part = parts.shift()
        if (part !== undefined) controller.enqueue(new TextEncoder().encode(part))
        else if (end === 'close') controller.close()
        else controller.error(new Error('the origin broke off'))
      },
    })
  const get = (target: string, version = '1.1'): string =>
    `GET ${target} HTTP/${version}\r\nHost: a.test\r\n\r\n`

  it('without a length are chunked, and end the connection for HTTP/1.0', async () => {
    server = await startEngine(() => Promise.resolve(new Response(slowly(['ab', 'cd'], 'close'))))
    const [answer] = splitResponses(await exchange(server.port, get('/')))
    expect(answer).toMatchObject({ body: 'abcd', complete: true })
    expect(answer?.headers['transfer-encoding']).toBe('chunked')
    const [old] = splitResponses(await exchange(server.port, get('/', '1.0')))
    expect(old?.headers['transfer-encoding']).toBeUndefined()
    expect(old).toMatchObject({ body: 'abcd', headers: { connection: 'close' } })
  })

  it.each([
    ['GET', false],
    ['GET', true],
    ['POST', false],
    ['POST', true],
  ])('that break off are seen as broken: %s, with length: %s', async (method, counted) => {
    const headers: Record<string, string> = counted ? { 'content-length': '100' } : {}
    server = await startEngine(() =>
      Promise.resolve(new Response(slowly(['ab', 'cd'], 'error'), { headers })),
    )
    const request = get('/').replace('GET', method).replace('\r\n\r\n', '\r\nX: y\r\n\r\n')
    const text = await exchange(server.port, request)
    expect(splitResponses(text)).toMatchObject([{ status: 200, body: 'abcd', complete: false }])
    expect(server.errors.join()).toContain('broke off')
  })

  it('shorter or longer than their length are never passed as whole', async () => {
    server = await startEngine((_request, { rawTarget }) =>
      Promise.resolve(
        new Response(slowly([rawTarget === '/short' ? 'abc' : 'abcdefg'], 'close'), {
          headers: { 'content-length': '5' },
        }),
      ),
    )
    const [short] = splitResponses(await exchange(server.port, get('/short')))
    expect(short).toMatchObject({ body: 'abc', complete: false })
    const long = await exchange(server.port, get('/long'))
    expect(long).not.toContain('abcdef')
  })

  it('cancel the origin when the client leaves', async () => {
    let cancelled: () => void = () => undefined
    const gone = new Promise<void>((resolve) => (cancelled = resolve))
    let aborted = false
    server = await startEngine((request) => {
      request.signal.addEventListener('abort', () => (aborted = true))
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => cancelled(),
      })
      return Promise.resolve(new Response(body))
    })
    const client = new RawClient(server.port)
    client.write(get('/?endless'))
    await client.until((text) => text.length > 100_000)
    client.destroy()
    await gone
    expect(aborted).toBe(true)
    expect(server.errors).toEqual([])
  })

  it('of a handler that throws are a bare 500', async () => {
    server = await startEngine(() => Promise.reject(new Error('secret detail')))
    const [answer] = splitResponses(await exchange(server.port, get('/')))
    expect(answer?.status).toBe(500)
    expect(answer?.body).not.toContain('secret')
    expect(server.errors.join()).toContain('secret detail')
  })
})
