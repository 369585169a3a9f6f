import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { readShared } from '#adapters/node/web-server/connections/read-buffer.ts'
import { createSelfSigned } from '#adapters/node/tls/self-signed.ts'
import { Random } from '../../../unit/web-server/support/random.ts'
import { startEngine, type EngineServer } from '../support/engine-server.ts'
import { RawClient, splitResponses } from '../support/raw-client.ts'

const after: (() => unknown)[] = []
afterEach(async () => {
  for (const end of after.splice(0)) await end()
})

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const connect = (port: number, secure: boolean): RawClient => {
  const client = new RawClient(port, secure ? { servername: 'a.test' } : {})
  client.socket.setNoDelay(true)
  after.push(() => client.destroy())
  return client
}

/** A server that hands every connection to `serve`. */
const serving = async (secure: boolean, serve: (socket: Socket) => void): Promise<number> => {
  if (!secure) return listen(createServer({ allowHalfOpen: true }, serve))
  const server = createTlsServer(createSelfSigned('a.test'))
  server.on('secureConnection', serve)
  return listen(server)
}

describe.each([false, true])('reading into the shared room (TLS: %s)', (secure) => {
  it('is possible on this version of Node, and gives every byte in its order', async () => {
    const large = Buffer.alloc(3_000_000, 'abcdefghij')
    let got = ''
    let asData = 0
    const used: boolean[] = []
    const ended = Promise.withResolvers<void>()
    const port = await serving(secure, (socket) => {
      socket.on('end', () => ended.resolve())
      socket.on('data', (chunk: Buffer) => {
        asData += chunk.length
        used.push(
          readShared(socket, (bytes) => {
            got += bytes.toString('latin1')
            return true
          }),
        )
        socket.write('go')
      })
    })
    const client = connect(port, secure)
    client.write('first')
    await client.until((text) => text === 'go')
    client.write(large)
    client.socket.end()
    await ended.promise
    expect(used).toEqual([true])
    expect(asData).toBe(5)
    expect(Buffer.from(got, 'latin1').equals(large)).toBe(true)
  })

  it('stops while it is paused, and goes on where it was', async () => {
    let got = 0
    let socket: Socket | null = null
    const port = await serving(secure, (accepted) => {
      socket = accepted
      accepted.on('data', () => {
        readShared(accepted, (bytes) => {
          got += bytes.length
          accepted.pause()
          return true
        })
        accepted.write('go')
      })
    })
    const client = connect(port, secure)
    client.write('first')
    await client.until((text) => text === 'go')
    client.write(Buffer.alloc(8_000_000))
    const paused = socket as Socket | null
    // What arrives goes into the room until the first pause, and stays with the system then.
    while (got === 0) await new Promise((resolve) => setImmediate(resolve))
    const before = got
    await new Promise((resolve) => setTimeout(resolve, 50))
    // Over TLS records that were taken together are given together.
    expect(got - before).toBeLessThan(100_000)
    while (got < 8_000_000) {
      paused?.resume()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(got).toBe(8_000_000)
  })
})

describe('connections that come back', () => {
  const page = (): Response =>
    new Response('a page', { headers: { 'content-type': 'text/html', 'content-length': '6' } })
  const start = async (): Promise<EngineServer> => {
    const server = await startEngine(async (request, context) => {
      if (request.method !== 'POST') {
        if (context.rawTarget.startsWith('/slow')) await new Promise((go) => setTimeout(go, 60))
        return page()
      }
      const text = await request.text()
      return new Response(`${text.length} ${text.slice(0, 3)} ${text.slice(-3)}`)
    })
    after.push(() => server.close())
    return server
  }
  const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a.test\r\n\r\n`
  const answersOf = ({ text }: RawClient): string[] =>
    splitResponses(text).map((answer) => answer.body)
  /** A connection whose next bytes are read into the shared room. */
  const returned = async (port: number): Promise<RawClient> => {
    const client = connect(port, false)
    for (let count = 1; count <= 2; count++) {
      client.write(get('/'))
      await client.until((text) => text.split('a page').length > count)
    }
    client.text = ''
    return client
  }

  it('do not mix, wherever the heads of two are cut', async () => {
    const { port, engine } = await start()
    const left = get('/left?1')
    const right = get('/right-hand-side?2')
    const pause = () => new Promise((resolve) => setTimeout(resolve, 2))
    for (let cut = 1; cut < left.length - 1; cut += 5) {
      const a = await returned(port)
      const b = await returned(port)
      a.write(left.slice(0, cut))
      await pause()
      b.write(right + right.slice(0, 20))
      await b.until((text) => text.includes('a page'))
      // In three pieces: the general server goes on with it.
      a.write(left.slice(cut, -1))
      await pause()
      b.write(right.slice(20))
      await b.until((text) => text.split('a page').length > 2)
      a.write(left.slice(-1))
      await a.until((text) => text.includes('a page'))
      expect(answersOf(a), `cut at ${cut}`).toEqual(['a page'])
      expect(answersOf(b), `cut at ${cut}`).toEqual(['a page', 'a page'])
    }
    expect(engine.counters().handedOver).toBeGreaterThan(0)
  })

  it('keep what comes behind a request that takes its time', async () => {
    const { port } = await start()
    const client = await returned(port)
    const other = await returned(port)
    client.write(get('/slow') + get('/'))
    await new Promise((resolve) => setTimeout(resolve, 10))
    client.write(get('/behind') + get('/slow?2'))
    // Meanwhile the room is used by another connection.
    other.write(get('/other-target-of-some-length'))
    await other.until((text) => text.includes('a page'))
    await client.until((text) => text.split('a page').length > 4)
    expect(answersOf(client)).toEqual(['a page', 'a page', 'a page', 'a page'])
  })

  it.each(['counted', 'chunked'])('are handed over with a large body (%s)', async (kind) => {
    const { port, engine } = await start()
    const client = await returned(port)
    const body = `abc${'x'.repeat(2_000_000)}xyz`
    client.write(get('/'))
    client.write(
      kind === 'counted'
        ? `POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        : `POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    )
    await client.until((text) => text.includes('2000006 abc xyz'))
    client.write(get('/behind'))
    await client.until((text) => text.split('a page').length > 2)
    expect(answersOf(client)).toEqual(['a page', '2000006 abc xyz', 'a page'])
    expect(engine.counters().handedOver).toBe(1)
  })

  it('get their own answers, many at once and cut at random', { timeout: 60_000 }, async () => {
    const server = await startEngine(async (request, context) => {
      if (context.rawTarget.includes('slow')) await new Promise((go) => setTimeout(go, 3))
      const text = request.method === 'POST' ? await request.text() : ''
      const body = `${request.method} ${context.rawTarget} ${text}`
      const headers = { 'content-type': 'text/html', 'content-length': String(body.length) }
      return new Response(body, { headers })
    })
    after.push(() => server.close())
    const numbers = new Random(20_261_122)
    const random = (below: number): number => numbers.below(below)
    const clients = Array.from({ length: 24 }, (_, name) => {
      const expected: string[] = []
      let bytes = ''
      for (let at = 0; at < 40; at++) {
        const filler = 'x'.repeat(random(200))
        const kind = random(10)
        // Few targets of its own, so that some answers are hits; in the last third bodies, too.
        const target = `/${name}-${random(6)}${kind === 0 ? '-slow' : ''}`
        if (at > 26 && kind > 6) {
          bytes += `POST ${target} HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${filler.length}\r\n\r\n${filler}`
          expected.push(`POST ${target} ${filler}`)
        } else {
          const field = kind < 3 ? `X-Filler: ${filler}\r\n` : ''
          bytes += `GET ${target} HTTP/1.1\r\nHost: a.test\r\n${field}\r\n`
          expected.push(`GET ${target} `)
        }
      }
      bytes += `GET /${name}-last HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`
      expected.push(`GET /${name}-last `)
      return { socket: connect(server.port, false), bytes, expected }
    })
    for (let before = 0; before < 2; before++)
      for (const { socket } of clients) {
        socket.text = ''
        socket.write(get('/a%20page'))
        await socket.until((text) => text.includes('GET /a%20page'))
      }
    for (const { socket } of clients) socket.text = ''
    const open = new Set(clients)
    while (open.size > 0) {
      for (const client of open) {
        // Mostly whole heads: one that comes in three pieces leaves for the general server.
        const size = 200 + random(random(3) === 0 ? 2000 : 400)
        client.socket.write(client.bytes.slice(0, size))
        client.bytes = client.bytes.slice(size)
        if (client.bytes === '') open.delete(client)
      }
      // So that answers keep up: what waits behind one is memory of its own already.
      await new Promise((resolve) => setTimeout(resolve, 4))
    }
    await Promise.all(clients.map(({ socket }) => socket.closed))
    for (const { socket, expected } of clients) expect(answersOf(socket)).toEqual(expected)
    const counters = server.engine.counters()
    expect(counters.fastHits).toBeGreaterThan(100)
    expect(counters.handedOver).toBeGreaterThan(10)
  })
})
