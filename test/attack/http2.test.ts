import { afterEach, describe, expect, it } from 'vitest'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { hostConfig } from '#test/node/web-server/support/engine-server.ts'
import { H2Client } from '#test/node/web-server/support/h2-client.ts'
import { startH2Engine, type H2Engine } from '#test/node/web-server/support/h2-engine.ts'
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  FrameClient,
  HEADERS,
  PING,
  pseudo,
  RST_STREAM,
  SETTINGS,
  type Field,
} from '#test/node/web-server/support/h2-frames.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'

const ENHANCE_YOUR_CALM = 11
const CANCEL = Buffer.from([0, 0, 0, 8])
const hosts = [
  hostConfig('a.test', { aliases: ['www.a.test'], ssl_certificate: '/a.crt' }),
  hostConfig('b.test', { ssl_certificate: '/b.crt' }),
  hostConfig('shared.test', { ssl_certificate: '/a.crt' }),
]

let server: H2Engine
let client: FrameClient
const start = async (
  site: SiteHandler,
  options: Parameters<typeof startH2Engine>[1] = {},
): Promise<void> => {
  server = await startH2Engine(site, { hosts, ...options })
  client = await FrameClient.open(server.port, 'a.test')
}
afterEach(async () => {
  client.close()
  await server.close()
})

const seen: SiteHandler = async (request) =>
  new Response(JSON.stringify([request.url, [...request.headers], await request.text()]))
const head = (
  stream: number,
  list: readonly Field[] = pseudo('a.test'),
  flags = END_STREAM | END_HEADERS,
): Buffer => frame(HEADERS, flags, stream, fields(list))
/** Others are served as before. */
const stillServes = async (): Promise<void> => {
  const other = await H2Client.open(server.port, 'a.test')
  expect((await other.get('/')).status).toBe(200)
  other.close()
}

describe('floods', () => {
  it('of streams that are reset at once end the connection and leave no request running', async () => {
    let running = 0
    let most = 0
    let asked = 0
    await start(
      (request) =>
        new Promise((resolve) => {
          asked++
          most = Math.max(most, ++running)
          const done = (): void => {
            running--
            resolve(new Response(''))
          }
          if (new URL(request.url).pathname === '/quick') done()
          else if (request.signal.aborted) done()
          else request.signal.addEventListener('abort', done)
        }),
    )
    let stream = 1
    for (let round = 0; round < 60 && !client.isClosed; round++) {
      const burst: Buffer[] = []
      for (let i = 0; i < 50; i++, stream += 2) {
        burst.push(head(stream, pseudo('a.test', '/slow')), frame(RST_STREAM, 0, stream, CANCEL))
      }
      client.send(...burst)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await client.closed
    expect(client.goaway).toBe(ENHANCE_YOUR_CALM)
    expect(asked).toBeLessThan(1500)
    expect(most).toBeLessThanOrEqual(128)
    await eventually('nothing runs', () => running === 0 && server.engine.connections() === 0)
    const other = await H2Client.open(server.port, 'a.test')
    expect((await other.get('/quick')).status).toBe(200)
    other.close()
  })

  it('of requests that outlive their stream are held at the number of streams', async () => {
    const waiting: (() => void)[] = []
    let ask = 0
    await start(() => {
      ask++
      return new Promise((resolve) => waiting.push(() => resolve(new Response(''))))
    })
    for (let round = 0; round < 2; round++) {
      const streams = Array.from({ length: 100 }, (_, i) => 1 + 2 * (100 * round + i))
      client.send(...streams.map((stream) => head(stream)))
      // Those that are reset in the same breath would not even begin.
      await eventually('they run or are refused', () => ask === (round === 0 ? 100 : 128))
      client.send(...streams.map((stream) => frame(RST_STREAM, 0, stream, CANCEL)))
      client.send(frame(PING, 0, 0, Buffer.alloc(8, round + 1)))
      await client.until((one) => one.type === PING && one.payload[0] === round + 1)
    }
    expect(ask).toBe(128)
    for (const end of waiting) end()
  })

  it('of streams beyond the limit are refused', async () => {
    const waiting: (() => void)[] = []
    await start(() => new Promise((resolve) => waiting.push(() => resolve(new Response('')))))
    for (let i = 0; i < 140; i++) client.send(head(1 + 2 * i))
    expect(await client.end(1 + 2 * 139)).not.toBe('ended')
    expect(waiting).toHaveLength(128)
    for (const end of waiting) end()
  })

  it('of CONTINUATION frames end the connection', async () => {
    await start(seen)
    client.send(head(1, pseudo('a.test'), END_STREAM))
    for (let i = 0; i < 2000 && !client.isClosed; i++) {
      client.send(frame(CONTINUATION, 0, 1, fields([[`x-${i}`, 'y'.repeat(1000)]])))
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await client.closed
    expect(server.engine.counters().requests).toBe(0)
    await stillServes()
  })

  it.each([
    ['PING', () => frame(PING, 0, 0, Buffer.alloc(8))],
    ['SETTINGS', () => frame(SETTINGS, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100]))],
    ['empty DATA', () => frame(DATA, 0, 1, Buffer.alloc(0))],
  ])('of %s frames end the connection', async (_name, make) => {
    await start(seen)
    client.send(head(1, pseudo('a.test', '/', 'POST'), END_HEADERS))
    for (let i = 0; i < 100 && !client.isClosed; i++) {
      client.send(...Array.from({ length: 20 }, make))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await client.closed
    await stillServes()
  })
})

describe('header bombs', () => {
  it.each([
    ['many fields', Array.from({ length: 400 }, (_, i): Field => [`x-${i}`, 'y'])],
    ['one long field', [['x-long', 'y'.repeat(100_000)] as const]],
    [
      'many crumbs',
      Array.from({ length: 3000 }, (_, i): Field => ['cookie', `c${i}=${'v'.repeat(20)}`]),
    ],
  ])('of %s never reach a site', async (_name, bomb) => {
    let asked = 0
    await start((request, context) => {
      if (context.rawTarget === '/bomb') asked++
      return seen(request, context)
    })
    const block = fields([...pseudo('a.test', '/bomb'), ...bomb])
    const parts = [frame(HEADERS, END_STREAM, 1, block.subarray(0, 16_000))]
    for (let at = 16_000; at < block.length; at += 16_000) {
      parts.push(frame(CONTINUATION, 0, 1, block.subarray(at, at + 16_000)))
    }
    parts.push(frame(CONTINUATION, END_HEADERS, 1, Buffer.alloc(0)))
    client.send(...parts)
    expect(await client.end(1)).not.toBe('ended')
    expect(asked).toBe(0)
    await stillServes()
  })

  it('of one field repeated by reference never reach a site', async () => {
    await start(seen)
    // Literal with indexing, then 10 000 references of one byte each.
    const literal = fields([['x-bomb', 'y'.repeat(3000)]])
    literal[0] = 0x40
    const block = Buffer.concat([
      fields(pseudo('a.test')),
      literal,
      Buffer.alloc(10_000, 0x80 | 62),
    ])
    client.send(frame(HEADERS, END_STREAM | END_HEADERS, 1, block))
    expect(await client.end(1)).not.toBe('ended')
    expect(server.engine.counters().requests).toBe(0)
    await stillServes()
  })
})

describe('smuggling', () => {
  const statusAndBody = async (
    list: readonly Field[],
    data?: Buffer,
  ): Promise<[number | 'ended' | 'closed', string]> => {
    client.send(head(1, list, data === undefined ? END_STREAM | END_HEADERS : END_HEADERS))
    if (data !== undefined) client.send(frame(DATA, END_STREAM, 1, data))
    return [await client.end(1), client.body(1)]
  }

  it.each([
    ['a line end in a value', 'x', 'a\r\nevil: 1'],
    ['a line feed in a value', 'x', 'a\nevil: 1'],
    ['a zero in a value', 'x', 'a\0evil: 1'],
    ['a line end in a name', 'x\r\nevil', '1'],
    ['a colon in a name', 'evil:x', '1'],
    ['a blank in a name', 'evil x', '1'],
    ['capitals in a name', 'Evil', '1'],
    ['a line end in a cookie', 'cookie', 'a=1\r\nevil: 1'],
    ['connection', 'connection', 'evil'],
    ['transfer-encoding', 'transfer-encoding', 'chunked, evil'],
    ['upgrade', 'upgrade', 'evil'],
    ['keep-alive', 'keep-alive', 'evil'],
    ['proxy-connection', 'proxy-connection', 'evil'],
    ['te', 'te', 'evil'],
  ])('by %s reaches no site', async (_name, name, value) => {
    await start(seen)
    const [, body] = await statusAndBody([...pseudo('a.test'), [name, value]])
    expect(body.toLowerCase()).not.toContain('evil')
    await stillServes()
  })

  it.each([
    ['a line end in the path', [':path', '/ HTTP/1.1\r\nHost: b.test\r\n\r\n']],
    ['a blank in the path', [':path', '/x y']],
    ['a fragment', [':path', '/x#y']],
    ['an absolute path', [':path', 'https://b.test/']],
    ['no path', [':path', '']],
    ['a line end in the authority', [':authority', 'a.test\r\nx: y']],
    ['credentials in the authority', [':authority', 'b.test@a.test']],
    ['a path in the authority', [':authority', 'a.test/x']],
    ['an empty authority', [':authority', '']],
    ['another scheme', [':scheme', 'http']],
    ['a line end in the method', [':method', 'GET / HTTP/1.1\r\n']],
    ['an unknown pseudo-header field', [':evil', 'x']],
    ['CONNECT', [':method', 'CONNECT']],
  ])('by %s reaches no site', async (_name, [name = '', value = '']) => {
    let asked = 0
    await start((request, context) => {
      asked++
      return seen(request, context)
    })
    const list: Field[] = pseudo('a.test').filter((one) => one[0] !== name)
    const [end, body] = await statusAndBody([...list, [name, value]])
    expect(asked).toBe(0)
    // Refused in words (4xx, 501) or by a reset.
    if (end === 'ended') expect(body).toMatch(/^(400|501) /)
    await stillServes()
  })

  it('by pseudo-header fields that are missing, repeated or late reaches no site', async () => {
    const all = pseudo('a.test')
    const lists: Field[][] = [
      ...all.map((left) => all.filter((one) => one !== left)),
      ...all.map((twice) => [...all, twice]),
      [['x', 'y'], ...all],
      [...all, [':status', '200']],
      [...all, ['host', 'b.test']],
      [...all, ['host', 'a.test'], ['host', 'b.test']],
    ]
    let asked = 0
    await start((request, context) => {
      asked++
      return seen(request, context)
    })
    for (const list of lists) {
      const one = await FrameClient.open(server.port, 'a.test')
      one.send(head(1, list))
      const end = await one.end(1)
      if (end === 'ended') expect(one.body(1)).toMatch(/^400 /)
      expect([JSON.stringify(list), asked]).toEqual([JSON.stringify(list), 0])
      one.close()
    }
  })

  it.each([
    ['shorter than it says', '10', 'abc'],
    ['longer than it says', '2', 'abcdef'],
  ])('by a body %s is no whole request', async (_name, said, data) => {
    const bodies: string[] = []
    await start(async (request) => {
      bodies.push(await request.text())
      return new Response('done')
    })
    const list: Field[] = [...pseudo('a.test', '/', 'POST'), ['content-length', said]]
    const [end] = await statusAndBody(list, Buffer.from(data))
    expect(end).not.toBe('ended')
    expect(bodies).toEqual([])
  })

  it('by two lengths or a length that is none reaches no site', async () => {
    await start(seen)
    for (const lengths of [['3', '4'], ['-1'], ['3, 3'], ['0x3']]) {
      const one = await FrameClient.open(server.port, 'a.test')
      const list = lengths.map((value): Field => ['content-length', value])
      one.send(head(1, [...pseudo('a.test', '/', 'POST'), ...list], END_HEADERS))
      one.send(frame(DATA, END_STREAM, 1, Buffer.from('abc')))
      const end = await one.end(1)
      if (end === 'ended') expect(one.body(1)).not.toContain('content-length')
      one.close()
    }
  })
})

describe('the authority', () => {
  const ask = async (sni: string, authority: string): Promise<{ status: number; body: string }> => {
    const one = await H2Client.open(server.port, sni)
    const { status, body } = await one.get('/', { ':authority': authority })
    one.close()
    return { status, body }
  }

  it('must belong to the certificate that the connection was made with', async () => {
    await start(() => Promise.resolve(new Response('page')))
    const cases: [string, string, number][] = [
      ['a.test', 'a.test', 200],
      ['a.test', 'A.test:443', 200],
      ['a.test', 'www.a.test', 200],
      ['www.a.test', 'a.test.', 200],
      // The certificate of a.test is that of shared.test, too.
      ['a.test', 'shared.test', 200],
      ['a.test', 'b.test', 421],
      ['b.test', 'a.test', 421],
      ['unknown.test', 'a.test', 421],
      ['a.test', 'unknown.test', 421],
      // The site handler's business: no such host.
      ['unknown.test', 'other.test', 200],
      // Without a server name the client chose by address.
      ['', 'b.test', 200],
    ]
    for (const [sni, authority, status] of cases) {
      const answer = await ask(sni, authority)
      expect([sni, authority, answer.status]).toEqual([sni, authority, status])
      if (status === 421) expect(answer.body).not.toContain('page')
    }
  })
})
