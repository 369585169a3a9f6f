import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { get, KeptConnection } from '../support/get.ts'
import { exchange, RawClient, splitResponses } from '../support/raw-client.ts'
import { phpHost, startPhpSite, type PhpSite } from '../support/php-site.ts'
import { siteToml } from '../support/static-web.ts'
import { eventually, startWeb, type WebProcess } from '../support/web-process.ts'

const HOST = 'm.test'
/** Not the number of cores, which is the default. */
const WORKERS = availableParallelism() === 3 ? 2 : 3
/** What ends after seconds by the configuration would end after half a minute or more by default. */
const WELL_BEFORE_DEFAULT_MS = 20_000
const GET = `GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`
const post = (fields: string, body = ''): string =>
  `POST / HTTP/1.1\r\nHost: ${HOST}\r\n${fields}\r\n\r\n${body}`

const startSite = async (server: string, more = ''): Promise<WebProcess> => {
  const web = await startWeb({ workers: WORKERS, server, more })
  writeFileSync(join(web.directory, 'state/index.html'), '<p>a page</p>')
  writeFileSync(join(web.directory, 'state/big.bin'), Buffer.alloc(20_000_000, 'b'))
  web.writeHosts('main', siteToml(web, HOST))
  const { status } = await web.control('POST', '/reload')
  if (status !== 200) throw new Error(`the reload was refused: ${web.output()}`)
  return web
}

const refusedCounts = async (web: WebProcess): Promise<unknown> =>
  ((await web.control('GET', '/status')).body as { refused: unknown }).refused

describe('[server] times and sizes', () => {
  let web: WebProcess
  let php: PhpSite
  beforeAll(async () => {
    web = await startSite(
      `keepalive_timeout = 2
header_timeout = 1
request_timeout = 4
max_header_size = "2K"
max_body_size = "1K"
access_log = false
compress = false`,
    )
    php = await startPhpSite(web.directory)
    web.writeHosts('php', phpHost(php, 'p.test'))
    expect((await web.control('POST', '/reload')).status).toBe(200)
  })
  afterAll(async () => {
    await php?.stop()
    await web?.remove()
  })
  const ports = (): [name: string, port: number, over: { servername?: string }][] => [
    ['http', web.port, {}],
    ['https', web.sslPort, { servername: HOST }],
  ]

  test('compress: nothing is, whichever way it takes', async () => {
    writeFileSync(join(php.root, 'words.php'), "<?php echo str_repeat('words ', 1000);")
    writeFileSync(join(web.directory, 'state/words.css'), 'words '.repeat(1000))
    writeFileSync(join(web.directory, 'state/words.html'), 'words '.repeat(1000))
    for (const [host, path] of [
      ['p.test', '/words.php?x'],
      ['p.test', '/words.php'],
      [HOST, '/words.css'],
      [HOST, '/words.html'],
    ] as const)
      for (let times = 0; times < 3; times++) {
        const { status, headers } = await get(web.port, host, path, 'Accept-Encoding: gzip, br\r\n')
        expect([status, headers['content-encoding'], headers['vary']]).toEqual([
          200,
          undefined,
          undefined,
        ])
      }
  })

  test('listen, listen_ssl: it answers there', async () => {
    for (const [, port, over] of ports())
      expect(splitResponses(await exchange(port, GET, over))[0]).toMatchObject({ status: 200 })
  })

  test('workers: so many run', () => {
    expect(web.workers()).toHaveLength(WORKERS)
  })

  test('keepalive_timeout: an idle connection is closed after it, not before', async () => {
    for (const [, port, over] of ports()) {
      // The second is answered by the general server.
      const clients = [GET, post('Content-Length: 0')].map((bytes) => {
        const client = new RawClient(port, over)
        client.write(bytes)
        return client
      })
      // Before any answer: what a busy machine adds makes the time longer, never shorter.
      const askedMs = performance.now()
      await Promise.all(
        clients.map(async (client) => {
          await client.until((text) => text.includes('\r\n\r\n'))
          await client.closed
          const keptMs = performance.now() - askedMs
          expect(keptMs).toBeGreaterThan(1900)
          expect(keptMs).toBeLessThan(WELL_BEFORE_DEFAULT_MS)
          client.destroy()
        }),
      )
    }
  })

  test('header_timeout: a head that is not whole by then gets 408, however it dribbles', async () => {
    for (const [, port, over] of ports()) {
      const heads = [GET.slice(0, -4), post('X: y').slice(0, -4), 'GET / HT']
      const clients = heads.map((head) => {
        const client = new RawClient(port, over)
        client.write(head)
        return client
      })
      const dribbling = new RawClient(port, over)
      dribbling.write('GET / HTTP/1.1\r\nX: ')
      const drip = setInterval(() => dribbling.write('y'), 100)
      const beganMs = performance.now()
      for (const client of [...clients, dribbling]) {
        await client.closed
        expect(performance.now() - beganMs).toBeLessThan(WELL_BEFORE_DEFAULT_MS)
        expect(splitResponses(client.text)).toMatchObject([
          { status: 408, complete: true, headers: { connection: 'close' } },
        ])
        expect(client.text).toContain('did not arrive in time')
        client.destroy()
      }
      clearInterval(drip)
    }
  })

  test('request_timeout: a body that is not whole by then gets 408', async () => {
    const clients = ports().flatMap(([, port, over]) =>
      ['Content-Length: 500', 'Transfer-Encoding: chunked'].map((framing) => {
        const client = new RawClient(port, over)
        const head = post(framing).replace(HOST, 'p.test')
        client.write(`${head}${framing.startsWith('T') ? '3\r\nabc\r\n' : 'abc'}`)
        return client
      }),
    )
    const drip = setInterval(() => clients[0]?.write('y'), 300)
    for (const client of clients) {
      await client.closed
      expect(splitResponses(client.text)).toMatchObject([{ status: 408, complete: true }])
      client.destroy()
    }
    clearInterval(drip)
  })

  test('max_header_size: more is 431, a longer address 414', async () => {
    for (const [, port, over] of ports()) {
      const get = (path: string, field: string): string =>
        `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nX: ${field}\r\n\r\n`
      const answer = async (bytes: string) => splitResponses(await exchange(port, bytes, over))[0]
      expect(await answer(get('/', 'y'.repeat(1800)))).toMatchObject({ status: 200 })
      expect(await answer(get('/', 'y'.repeat(2100)))).toMatchObject({ status: 431 })
      expect(await answer(get(`/${'y'.repeat(2100)}`, ''))).toMatchObject({ status: 414 })
      // In pieces it is the general server that sees the end.
      const client = new RawClient(port, over)
      client.write('GET /')
      await new Promise((resolve) => setTimeout(resolve, 50))
      client.write('y'.repeat(1000))
      await new Promise((resolve) => setTimeout(resolve, 50))
      client.write('y'.repeat(1500))
      await client.closed
      expect(splitResponses(client.text)).toMatchObject([{ status: 414 }])
      client.destroy()
    }
  })

  test('max_body_size: more is 413', async () => {
    for (const [, port, over] of ports()) {
      const [answer] = splitResponses(
        await exchange(port, post('Content-Length: 2000', 'x'.repeat(2000)), over),
      )
      expect(answer).toMatchObject({ status: 413, body: expect.stringContaining('1024 bytes') })
    }
  })

  test('access_log = false: none is written', async () => {
    await get(web.port, HOST)
    const file = join(web.directory, 'log/web/access.log')
    expect(existsSync(file) && statSync(file).size > 0).toBe(false)
  })

  test('they are other ones after a reload', async () => {
    const file = join(web.directory, 'berth.toml')
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text
        .replace('max_header_size = "2K"', 'max_header_size = "64K"')
        .replace('max_body_size = "1K"', 'max_body_size = 0')
        .replace('access_log = false', 'access_log = true'),
    )
    expect((await web.control('POST', '/reload')).status).toBe(200)
    await eventually('new workers alone', () => web.workers().length === WORKERS)
    expect((await get(web.port, HOST, '/', `X: ${'y'.repeat(50_000)}\r\n`)).status).toBe(200)
    const [answer] = splitResponses(
      await exchange(web.port, post('Content-Length: 2000', 'x'.repeat(2000))),
    )
    expect(answer?.status).toBe(405)
    const log = join(web.directory, 'log/web/access.log')
    await eventually('logged', () => existsSync(log) && statSync(log).size > 0)
  })
})

describe('[server] max_connections_per_address', () => {
  let web: WebProcess
  beforeAll(async () => {
    web = await startSite(
      'max_connections_per_address = 3',
      '[panel]\ntrusted_proxies = ["127.0.0.9"]',
    )
  })
  afterAll(() => web?.remove())

  test('is one limit for all workers and listeners, not for trusted proxies', async () => {
    const open = async (port: number, from: string): Promise<RawClient> => {
      const client = new RawClient(port, { from })
      client.write(GET)
      await client.until((text) => text.includes('a page'))
      return client
    }
    const first: RawClient[] = []
    // One after the other: what was admitted elsewhere a moment ago may not be known yet.
    for (let i = 0; i < 3; i++) {
      first.push(await open(web.port, '127.0.0.5'))
      await web.control('GET', '/status')
    }
    for (const client of first) expect(client.text).toContain('a page')
    for (let i = 0; i < 4; i++) {
      const refused = await open(i % 2 ? web.port : web.sslPort, '127.0.0.5')
      expect(refused.text).toBe('')
    }
    for (const from of ['127.0.0.6', '127.0.0.9', '127.0.0.9', '127.0.0.9', '127.0.0.9']) {
      const client = await open(web.port, from)
      expect(client.text).toContain('a page')
      first.push(client)
    }
    await eventually('counted', async () => {
      const { address } = (await refusedCounts(web)) as { address: number }
      return address === 4
    })
    const log = (): string[] =>
      readFileSync(join(web.directory, 'log/web/error.log'), 'utf8').split('\n')
    await eventually('logged', () => log().some((line) => line.includes('address=127.0.0.5')))
    expect(log().filter((line) => line.includes('connections are refused'))).toHaveLength(1)
    for (const client of first) client.destroy()
    await eventually('free again', async () => {
      const again = await open(web.port, '127.0.0.5')
      again.destroy()
      return again.text.includes('a page')
    })
  })
})

describe('[server] max_connections', () => {
  let web: WebProcess
  beforeAll(async () => {
    web = await startSite('max_connections = 20')
  })
  afterAll(() => web?.remove())

  test('closes what idles to let new ones in, and refuses where nothing idles', async () => {
    let closed = 0
    const idle: KeptConnection[] = []
    // Each is answered, though from the twentieth on there is no room but that of the oldest.
    for (let i = 0; i < 40; i++) {
      const one = new KeptConnection(web.port, HOST)
      expect((await one.get('/')).status).toBe(200)
      idle.push(one)
      void one.client.closed.then(() => closed++)
    }
    await eventually('the oldest are closed', () => closed >= 20)
    expect((await idle.at(-1)?.get('/'))?.status).toBe(200)
    for (const one of idle) one.close()
    await eventually('all are gone', async () => {
      const { body } = await web.control('GET', '/status')
      return (body as { connections: number }).connections === 0
    })
    // The workers hear of each other's within a moment.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const busy: RawClient[] = []
    await eventually('full', async () => {
      const client = new RawClient(web.port, { paused: true })
      client.write('GET /big.bin HTTP/1.1\r\nHost: m.test\r\n\r\n')
      busy.push(client)
      await new Promise((resolve) => {
        client.socket.once('readable', resolve)
        client.socket.once('close', resolve)
      })
      return ((await refusedCounts(web)) as { server: number }).server > 0
    })
    expect(busy.length).toBeGreaterThanOrEqual(20)
    for (const client of busy) client.destroy()
    await eventually('free again', async () => {
      const answer = await get(web.port, HOST).catch(() => null)
      return answer?.status === 200
    })
    await eventually('logged', () =>
      readFileSync(join(web.directory, 'log/web/error.log'), 'utf8').includes(
        'the server has as many as it may',
      ),
    )
  })
})
