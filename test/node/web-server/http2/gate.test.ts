import { afterEach, describe, expect, it } from 'vitest'
import type { CacheEntry } from '#edge-cache/index.ts'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'
import { connectH2Socket, H2Client } from '../support/h2-client.ts'
import { startH2Engine, type H2Engine } from '../support/h2-engine.ts'
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  FrameClient,
  GOAWAY,
  HEADERS,
  PING,
  pseudo,
  RST_STREAM,
  SETTINGS,
  type Field,
} from '../support/h2-frames.ts'
import { eventually } from '../support/web-process.ts'

const WINDOW_UPDATE = 8
const PRIORITY = 2
const ACK = 1

/** The page of `/page/<bytes>`; what begins otherwise is the site's. */
const pageOf = (path: string): CacheEntry | null => {
  const bytes = Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? -1)
  if (bytes < 0) return null
  return cacheEntry('a.test', path, {
    key: { host: 'a.test', path, id: path },
    headers: [
      ['content-type', 'text/html'],
      ['etag', '"e"'],
    ],
    body: new Uint8Array(bytes).fill(97 + (bytes % 26)),
    tags: [],
    storedAtMs: Date.now(),
    expiresAtMs: Date.now() + 60_000,
    etag: '"e"',
  })
}
const textOf = (bytes: number): string => String.fromCharCode(97 + (bytes % 26)).repeat(bytes)
const site: SiteHandler = async (request) => {
  const { pathname } = new URL(request.url)
  const bytes = Number(pathname.split('/').at(-1))
  return new Response(`${await request.text()}${textOf(Number.isNaN(bytes) ? 0 : bytes)}`)
}
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const setting = (id: number, value: number): Buffer =>
  frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, id]), number(value)]))
const window = (stream: number, bytes: number): Buffer =>
  frame(WINDOW_UPDATE, 0, stream, number(bytes))
const ask = (stream: number, path: string, more: readonly Field[] = []): Buffer =>
  frame(HEADERS, END_STREAM | END_HEADERS, stream, fields([...pseudo('a.test', path), ...more]))

let server: H2Engine
const closers: (() => void)[] = []
const start = async (options: Parameters<typeof startH2Engine>[1] = {}): Promise<void> => {
  server = await startH2Engine(site, { pages: pageOf, ...options })
}
afterEach(async () => {
  for (const close of closers.splice(0)) close()
  await server.close()
})
/** A client whose settings are acknowledged, with a connection window of `bytes`. */
const open = async (bytes = 10_000_000, first: Buffer[] = []): Promise<FrameClient> => {
  const client = await FrameClient.open(server.port, 'a.test')
  closers.push(() => client.close())
  if (bytes > 65_535) client.send(window(0, bytes - 65_535))
  client.send(...first)
  await settled(client, 1 + first.filter((one) => one[3] === SETTINGS).length)
  return client
}
const settled = (client: FrameClient, acknowledged: number) =>
  client.until(
    () =>
      client.frames.filter(({ type, flags }) => type === SETTINGS && flags === ACK).length >=
      acknowledged,
  )
const received = (client: FrameClient): number =>
  client.frames
    .filter(({ type }) => type === DATA)
    .reduce((sum, one) => sum + one.payload.length, 0)
/** Resolves when everything sent before has been seen. */
let pings = 0
const seen = async (client: FrameClient): Promise<void> => {
  const mark = number(++pings)
  client.send(frame(PING, 0, 0, Buffer.concat([mark, mark])))
  await client.until(({ type, payload }) => type === PING && payload.readUInt32BE(0) === pings)
}
const fastHits = (): number => server.engine.counters().fastHits
/** Whether an answer went past the session, which would have compressed its fields. */
const isOwn = (client: FrameClient, stream: number): boolean =>
  client.frames.some(
    (one) => one.type === HEADERS && one.stream === stream && one.payload.includes('x-cache'),
  )
const open20 = async (): Promise<H2Client> => {
  const client = await H2Client.open(server.port, 'a.test')
  closers.push(() => client.close())
  return client
}

describe('pages that are ready', () => {
  it.each([0, 1, 16_384, 16_385, 40_000, 65_000, 200_000])(
    'arrive whole, %i bytes',
    async (bytes) => {
      await start()
      const client = await open20()
      for (let time = 0; time < 3; time++) {
        const answer = await client.get(`/page/${bytes}`)
        expect(answer).toMatchObject({ status: 200, code: 0 })
        expect(answer.body).toBe(textOf(bytes))
        expect(answer.headers).toMatchObject({ 'x-cache': 'HIT', 'content-length': String(bytes) })
      }
      const head = await client.get(`/page/${bytes}`, { ':method': 'HEAD' })
      expect(head).toMatchObject({
        status: 200,
        body: '',
        headers: { 'content-length': String(bytes) },
      })
      const same = await client.get(`/page/${bytes}`, { 'if-none-match': '"e"' })
      expect(same).toMatchObject({ status: 304, body: '' })
      expect(fastHits()).toBe(5)
      expect(await server.accessLog()).toContain(`"GET /page/${bytes} HTTP/2.0" 200 ${bytes} `)
    },
  )

  it('and others arrive whole in any mixture, whatever the windows', async () => {
    await start()
    const clients = [await open20(), await open20(), await open20()]
    clients[1]?.session.settings({ initialWindowSize: 1000, headerTableSize: 0 })
    clients[2]?.session.settings({ initialWindowSize: 3_000_000 })
    clients[2]?.session.setLocalWindowSize(5_000_000)
    const sizes = [0, 100, 5000, 16_384, 30_000, 64_000, 100_000]
    await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: 120 }, async (_, at) => {
          const bytes = sizes[at % sizes.length] ?? 0
          const path = at % 3 === 0 ? `/cold/${bytes}` : `/page/${bytes}`
          const fieldsOf = at % 5 === 0 ? { 'x-new': String(at) } : {}
          const answer =
            at % 7 === 0
              ? await client.send(`/cold/${bytes}`, 'sent')
              : await client.get(path, fieldsOf)
          expect(answer.code).toBe(0)
          expect(answer.body).toBe(at % 7 === 0 ? `sent${textOf(bytes)}` : textOf(bytes))
        }),
      ),
    )
    expect(fastHits()).toBeGreaterThan(150)
    expect(server.errors).toEqual([])
  })

  it('never exceed the window of the connection, together with others', async () => {
    await start()
    const total = 200_000
    const client = await open(total)
    const streams = Array.from({ length: 60 }, (_, at) => 1 + 2 * at)
    client.send(...streams.map((one) => ask(one, one % 4 === 1 ? '/page/9000' : '/cold/9000')))
    await client.until(() => received(client) >= total)
    await seen(client)
    expect(received(client)).toBe(total)
    client.send(window(0, 1_000_000))
    for (const one of streams) expect(await client.end(one)).toBe('ended')
    for (const one of streams) expect(client.body(one)).toBe(textOf(9000))
    const own = streams.filter((one) => isOwn(client, one)).length
    expect(own).toBeGreaterThan(3)
    expect(own).toBeLessThan(30)
  })

  it('wait for the stream’s window and do not believe in settings before they are acknowledged', async () => {
    await start()
    const client = await open(10_000_000, [setting(4, 100)])
    client.send(ask(1, '/page/101'), ask(3, '/page/100'))
    expect(await client.end(3)).toBe('ended')
    await client.until(() => client.body(1).length === 100)
    expect([isOwn(client, 1), isOwn(client, 3)]).toEqual([false, true])
    client.send(window(1, 1))
    expect(await client.end(1)).toBe('ended')
    expect(client.body(1)).toBe(textOf(101))
    // The larger window counts once the client may rely on it.
    client.send(setting(4, 60_000), ask(5, '/page/50000'))
    expect(await client.end(5)).toBe('ended')
    const order = client.frames.map(({ type, flags, stream }) =>
      type === SETTINGS && flags === ACK ? 'ack' : stream === 5 ? 'five' : '',
    )
    expect(order.lastIndexOf('ack')).toBeLessThan(order.indexOf('five'))
  })

  it('are refused to a name of another certificate, and cookies and queries are judged', async () => {
    await start()
    const client = await open20()
    expect(
      (await client.get('/page/5', { ':authority': 'other.test' })).headers['x-cache'],
    ).not.toBe('HIT')
    expect((await client.get('/page/5?x')).body).toBe(textOf(5))
    expect((await client.get('/page/5', { range: 'bytes=0-1' })).headers['x-cache']).toBeUndefined()
    expect(fastHits()).toBe(0)
  })
})

describe('streams that were answered', () => {
  it('may be reset, prioritised and given windows afterwards', async () => {
    await start()
    const client = await open()
    client.send(ask(1, '/page/10'), frame(RST_STREAM, 0, 1, number(8)), window(1, 100))
    client.send(frame(PRIORITY, 0, 1, Buffer.alloc(5)), ask(3, '/cold/10'), window(1, 100))
    client.send(ask(5, '/page/10'))
    for (const stream of [1, 3, 5]) expect(await client.end(stream)).toBe('ended')
    expect([1, 3, 5].map((stream) => isOwn(client, stream))).toEqual([true, false, true])
    expect(client.goaway).toBeNull()
  })

  it.each([
    ['DATA', () => frame(DATA, 0, 1, Buffer.alloc(5)), 5],
    ['HEADERS', () => ask(1, '/page/10'), 5],
    ['a short RST_STREAM', () => frame(RST_STREAM, 0, 1, Buffer.alloc(3)), 6],
  ])('end the connection when %s follows', async (_what, make, code) => {
    await start()
    const client = await open()
    client.send(ask(1, '/page/10'), make())
    await client.closed
    expect(client.goaway).toBe(code)
    expect(client.body(1)).toBe(textOf(10))
  })

  it('and are reset in floods end the connection', async () => {
    await start()
    const client = await open()
    for (let n = 0; n < 300 && !client.isClosed; n++) {
      client.send(ask(1 + 2 * n, '/page/1'), frame(RST_STREAM, 0, 1 + 2 * n, number(8)))
    }
    await client.closed
    expect(client.goaway).toBe(11)
  })

  it('are among those that GOAWAY says were processed', async () => {
    await start()
    const client = await open()
    client.send(ask(1, '/cold/1'), ask(3, '/page/10'))
    await client.end(3)
    await client.end(1)
    const drained = server.engine.drain()
    const last = await client.until(({ type }) => type === GOAWAY)
    expect(last?.payload.readUInt32BE(0)).toBe(3)
    await drained
  })
})

describe('clients that take nothing', () => {
  it('hold little, and lose their connection', async () => {
    await start({ times: { stallMs: 1000 } })
    const socket = await connectH2Socket(server.port, 'a.test')
    closers.push(() => socket.destroy())
    const client = new FrameClient(socket)
    client.send(window(0, 2_000_000_000))
    await settled(client, 1)
    socket.pause()
    for (let n = 0; n < 30; n++) client.send(ask(1 + 2 * n, '/page/60000'))
    await eventually('asked', () => fastHits() === 30)
    expect(server.engine.connections()).toBe(1)
    await eventually('it is gone', () => server.engine.connections() === 0)
  })
})

describe('whatever a client sends', () => {
  it('is answered, refused or ends its own connection', async () => {
    await start({ times: { keepAliveMs: 1000, headMs: 1000, stallMs: 1000 }, requestMs: 1000 })
    let state = Number(process.env['FUZZ_SEED'] ?? 20_261_122)
    const below = (most: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * most)
    }
    const part = (): Buffer => {
      const stream = 1 + 2 * below(20)
      switch (below(9)) {
        case 0:
        case 1:
          return ask(stream, '/page/100')
        case 2:
          return ask(stream, '/cold/100')
        case 3:
          return frame(HEADERS, below(64), stream, fields(pseudo('a.test', '/page/7')))
        case 4:
          return frame(
            below(12),
            below(256),
            below(3) === 0 ? 0 : stream,
            Buffer.alloc(below(20), below(256)),
          )
        case 5:
          return window(below(2) * stream, 1 + below(100_000))
        case 6:
          return setting(1 + below(7), below(70_000))
        case 7:
          return frame(9, below(8), stream, Buffer.alloc(below(9), 0x82))
        default:
          return Buffer.from(Array.from({ length: below(12) }, () => below(256)))
      }
    }
    for (let round = 0; round < 150; round++) {
      const client = await FrameClient.open(server.port, 'a.test')
      for (let n = 1 + below(20); n > 0; n--) {
        client.send(part())
        if (below(4) === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      if (round % 10 === 0) {
        const other = await H2Client.open(server.port, 'a.test')
        expect((await other.get('/page/1000')).body).toBe(textOf(1000))
        expect((await other.get('/cold/1000')).body).toBe(textOf(1000))
        other.close()
      }
      client.close()
    }
    await eventually('none is left', () => server.engine.connections() === 0)
    expect(server.errors.filter((error) => error.includes('a connection broke'))).toEqual([])
  })
})
