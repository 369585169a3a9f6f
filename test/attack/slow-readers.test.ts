import { afterEach, describe, expect, it } from 'vitest'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import {
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  FrameClient,
  HEADERS,
  pseudo,
  SETTINGS,
} from '#test/node/web-server/support/h2-frames.ts'
import { startH2Engine, type H2Engine } from '#test/node/web-server/support/h2-engine.ts'
import { RawClient } from '#test/node/web-server/support/raw-client.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { startEngine, type EngineServer } from '#test/node/web-server/support/engine-server.ts'

const STALL = { times: { stallMs: 600 } }
/** Where a client must not be ended: far longer than its pauses, and less than it takes in all. */
const LONG_STALL = { times: { stallMs: 2000 } }
/** What it takes between two pauses. */
const PIECE_BYTES = 200_000
const WINDOW_UPDATE = 8

const closers: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

let cancelled = 0
/** More than any buffer on the way holds. */
const endless: SiteHandler = async () =>
  new Response(
    new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(200_000)),
      cancel: () => void cancelled++,
    }),
  )

/** A client that reads nothing, and sends a byte ten times a second. */
const holdOpen = (port: number, request: string, servername?: string): RawClient => {
  const client = new RawClient(port, {
    paused: true,
    ...(servername === undefined ? {} : { servername }),
  })
  client.socket.pause()
  client.write(request)
  const drip = setInterval(() => client.write('G'), 100)
  closers.push(() => {
    clearInterval(drip)
    client.destroy()
  })
  return client
}

describe('a client that reads nothing but goes on sending', () => {
  const REQUESTS = {
    'the hot and slow path': 'GET /?1 HTTP/1.1\r\nHost: a.test\r\n\r\n',
    'the general server': 'POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n',
  }

  it.each(Object.entries(REQUESTS))('holds no connection of %s', async (_name, request) => {
    const server: EngineServer = await startEngine(endless, STALL)
    closers.push(() => server.close())
    cancelled = 0
    holdOpen(server.port, request)
    await eventually('answered', () => server.engine.counters().requests > 0)
    await eventually('gone', () => server.engine.connections() === 0)
    await eventually('the site is told', () => cancelled === 1)
  })

  it.each(Object.entries(REQUESTS))('holds none of %s over TLS', async (_name, request) => {
    const server: H2Engine = await startH2Engine(endless, STALL)
    closers.push(() => server.close())
    cancelled = 0
    holdOpen(server.port, request, 'a.test')
    await eventually('answered', () => server.engine.counters().requests > 0)
    await eventually('gone', () => server.engine.connections() === 0)
    await eventually('the site is told', () => cancelled === 1)
  })
})

describe('a client that reads slowly but steadily', () => {
  it('gets a large answer whole, over plain HTTP and TLS', async () => {
    const body = 'z'.repeat(12_000_000)
    const site: SiteHandler = async () => new Response(body)
    const plain = await startEngine(site, LONG_STALL)
    const secure = await startH2Engine(site, LONG_STALL)
    closers.push(
      () => plain.close(),
      () => secure.close(),
    )
    for (const request of ['GET /?1 HTTP/1.1', 'POST / HTTP/1.1']) {
      await Promise.all(
        [new RawClient(plain.port), new RawClient(secure.port, { servername: 'a.test' })].map(
          async (client) => {
            closers.push(() => client.destroy())
            client.write(
              `${request}\r\nHost: a.test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
            )
            const beganMs = performance.now()
            let left = PIECE_BYTES
            client.socket.on('data', (chunk: Buffer) => {
              left -= chunk.length
              if (left <= 0) client.socket.pause()
            })
            const turns = setInterval(() => {
              left = PIECE_BYTES
              client.socket.resume()
            }, 60)
            closers.push(() => clearInterval(turns))
            await client.closed
            expect(client.text.length).toBeGreaterThan(body.length)
            expect(performance.now() - beganMs).toBeGreaterThan(LONG_STALL.times.stallMs)
          },
        ),
      )
    }
  })
})

describe('HTTP/2', () => {
  const windowOf = (stream: number, bytes: number): Buffer => {
    const payload = Buffer.alloc(4)
    payload.writeUInt32BE(bytes)
    return frame(WINDOW_UPDATE, 0, stream, payload)
  }
  /** Streams that may get nothing before the client gives them a window. */
  const open = async (port: number, count: number): Promise<FrameClient> => {
    const client = await FrameClient.open(port, 'a.test')
    closers.push(() => client.close())
    client.send(frame(SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])))
    for (let n = 0; n < count; n++)
      client.send(frame(HEADERS, END_STREAM | END_HEADERS, 1 + 2 * n, fields(pseudo('a.test'))))
    return client
  }

  it('a window of one byte now and then holds no stream', async () => {
    const server = await startH2Engine(endless, STALL)
    closers.push(() => server.close())
    cancelled = 0
    const client = await open(server.port, 1)
    const drip = setInterval(() => client.send(windowOf(1, 1)), 100)
    closers.push(() => clearInterval(drip))
    expect(await client.end(1)).toBe(2)
    await eventually('the site is told', () => cancelled === 1)
  })

  it('many streams with little each are held no longer than a slow line needs', async () => {
    const server = await startH2Engine(endless, STALL)
    closers.push(() => server.close())
    cancelled = 0
    const client = await open(server.port, 100)
    // One of them is read, all others wait.
    const drip = setInterval(() => client.send(windowOf(1, 10)), 100)
    closers.push(() => clearInterval(drip))
    for (let n = 0; n < 100; n++) expect(await client.end(1 + 2 * n)).not.toBe('ended')
    await eventually('the site is told', () => cancelled === 100)
  })

  it('streams that share a slow line all arrive', async () => {
    const body = 'y'.repeat(60_000)
    const server = await startH2Engine(async () => new Response(body), STALL)
    closers.push(() => server.close())
    const client = await open(server.port, 8)
    // Each takes three windows.
    const drip = setInterval(() => {
      for (let n = 0; n < 8; n++) client.send(windowOf(1 + 2 * n, 3000))
      client.send(windowOf(0, 24_000))
    }, 100)
    closers.push(() => clearInterval(drip))
    for (let n = 0; n < 8; n++) {
      expect(await client.end(1 + 2 * n)).toBe('ended')
      expect(client.body(1 + 2 * n)).toBe(body)
    }
  })
})
