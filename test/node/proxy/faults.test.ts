import type { Socket } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts } from '#test/support/free-ports.ts'
import { RawClient } from '../web-server/support/raw-client.ts'
import { eventually, type WebProcess } from '../web-server/support/web-process.ts'
import { startFullListener } from './support/full-listener.ts'
import { ask, proxyToml, serveHosts, startProxied, startRawApp } from './support/proxied-web.ts'

/** What the application does with a connection once a request came. */
let serve: (socket: Socket, head: string) => void
let app: Awaited<ReturnType<typeof startRawApp>>
let web: WebProcess
beforeAll(async () => {
  serve = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  app = await startRawApp((socket) => {
    socket.on('data', (chunk: Buffer) => serve(socket, chunk.toString('latin1')))
  })
  web = await startProxied(app, {
    rule: 'connect_timeout_secs = 1\ntimeout_secs = 1',
    more: 'error_pages = { 502 = "/502.html", 504 = "/504.html" }\nroot = "."',
  })
})
afterAll(async () => {
  await web.remove()
  await app.close()
})

const own = (file: string, text: string): void =>
  writeFileSync(join(web.directory, 'state/vhosts.d', file), text)
const HTML = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'

describe('an application that', () => {
  it("is not there: 502 with the site's own page, and the cause in the log", async () => {
    const [port = 0] = await freePorts(1)
    const more = 'error_pages = { 502 = "/502.html" }\nroot = "."'
    await serveHosts(web, 'dead', proxyToml('dead.test', port, '', more))
    own('502.html', '<p>our 502</p>')
    for (const method of ['GET', 'POST']) {
      const answer = await ask(web.port, '/', { host: 'dead.test', method })
      expect(answer).toMatchObject({ status: 502, text: '<p>our 502</p>' })
      expect(answer.headers['cache-control']).toBe('no-store')
    }
    await eventually('logged', () => {
      const log = readFileSync(join(web.directory, 'log/web/error.log'), 'utf8')
      return log
        .split('\n')
        .some((line) =>
          [
            'the application did not answer',
            'dead.test',
            'cannot be reached',
            'ECONNREFUSED',
          ].every((part) => line.includes(part)),
        )
    })
  })

  it('cannot be connected to: 502 or 504, within the time for that', async () => {
    // TEST-NET-1 leads nowhere, or is refused at once where there is no route at all.
    const toml = proxyToml('far.test', 80, 'connect_timeout_secs = 1')
    await serveHosts(web, 'far', toml.replace('127.0.0.1', '192.0.2.1'))
    expect([502, 504]).toContain((await ask(web.port, '/', { host: 'far.test' })).status)
  })

  it('does not accept: 504 after connect_timeout_secs, not after timeout_secs', async () => {
    // A full queue of the kernel takes no more connections and refuses none.
    const full = await startFullListener()
    try {
      const tookSecs = async (connectSecs: number): Promise<number> => {
        const rule = `connect_timeout_secs = ${connectSecs}\ntimeout_secs = 60`
        await serveHosts(web, 'full', proxyToml('full.test', full.port, rule))
        const begun = performance.now()
        expect((await ask(web.port, '/', { host: 'full.test' })).status).toBe(504)
        return (performance.now() - begun) / 1000
      }
      const [one, three] = [await tookSecs(1), await tookSecs(3)]
      expect(one).toBeGreaterThan(0.9)
      expect(three).toBeGreaterThan(2.9)
      expect(three).toBeLessThan(40)
    } finally {
      full.close()
    }
  })

  it('sends no head, or one that never ends: 504', async () => {
    own('504.html', '<p>our 504</p>')
    serve = () => undefined
    expect(await ask(web.port, '/a')).toMatchObject({ status: 504, text: '<p>our 504</p>' })
    const timers: NodeJS.Timeout[] = []
    serve = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX: ')
      timers.push(setInterval(() => socket.write('x'), 50))
    }
    expect((await ask(web.port, '/b')).status).toBe(504)
    for (const timer of timers) clearInterval(timer)
    // Interim answers are no answer.
    serve = (socket) => {
      timers.push(setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 300))
    }
    expect((await ask(web.port, '/c')).status).toBe(504)
    for (const timer of timers) clearInterval(timer)
  })

  it.each<[string, string]>([
    ['a huge head', `${HTML}X: ${'x'.repeat(70_000)}\r\n\r\n`],
    ['very many fields', `${HTML}${'x: y\r\n'.repeat(12_000)}\r\n`],
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['two lengths', `${HTML}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    [
      'a length and chunks',
      `${HTML}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['an unknown coding', `${HTML}Transfer-Encoding: gzip\r\n\r\nabc`],
    ['a bad length', `${HTML}Content-Length: -1\r\n\r\n`],
    ['a field without a name', `${HTML}: x\r\n\r\n`],
    ['a blank before the colon', `${HTML}Content-Length : 2\r\n\r\nab`],
    ['an impossible status', 'HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n'],
    ['interim answers only', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)],
    [
      'an unwanted switch',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    ],
    ['nothing', ''],
  ])('answers with %s: 502', async (_, answer) => {
    serve = (socket) => socket.end(answer, 'latin1')
    expect((await ask(web.port, '/x')).status).toBe(502)
    expect((await ask(web.port, '/x', { method: 'POST', body: 'x' })).status).toBe(502)
    serve = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    expect((await ask(web.port, '/x')).text).toBe('ok')
  })

  it('breaks off: the client sees it, and nothing of it is kept', async () => {
    const cut = [
      `${HTML}Content-Length: 100\r\n\r\n<p>half`,
      `${HTML}Transfer-Encoding: chunked\r\n\r\n7\r\n<p>half\r\n`,
      `${HTML}Transfer-Encoding: chunked\r\n\r\n7\r\n<p>half\r\nzz\r\n`,
    ]
    for (const [i, answer] of cut.entries()) {
      serve = (socket) => socket.end(answer)
      await expect(ask(web.port, `/cut${i}`)).rejects.toThrow()
      serve = (socket) => socket.end(`${HTML}Content-Length: 5\r\n\r\nwhole`)
      const answered = await ask(web.port, `/cut${i}`)
      expect(answered).toMatchObject({ text: 'whole', headers: { 'x-cache': 'MISS' } })
      expect((await ask(web.port, `/cut${i}`)).headers['x-cache']).toBe('HIT')
    }
  })

  it('falls silent in the middle of an answer: the client sees that it broke off', async () => {
    serve = (socket) => void socket.write(`${HTML}Content-Length: 100\r\n\r\n<p>half`)
    await expect(ask(web.port, '/silent?x')).rejects.toThrow()
  })

  it("sends more than it announced: the rest is nobody's answer", async () => {
    serve = (socket) =>
      void socket.write(
        'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil',
      )
    for (let i = 0; i < 5; i++) expect((await ask(web.port, `/more?${i}`)).text).toBe('ok')
  })

  it.each([2, 100, 300_000])(
    'announces %i bytes and sends more: those at once, and the connection ends',
    async (bytes) => {
      const body = 'y'.repeat(bytes)
      const head = `${HTML}Content-Length: ${bytes}\r\n\r\n`
      const surplus = 'z'.repeat(50)
      const ways: [string, (socket: Socket) => void][] = [
        ['together', (socket) => void socket.write(head + body + surplus)],
        [
          'later',
          (socket) =>
            void socket.write(head + body, () => setTimeout(() => socket.write(surplus), 30)),
        ],
        [
          'without end',
          (socket) => {
            socket.write(head)
            const timer = setInterval(() => socket.write(body + surplus), 20)
            socket.once('close', () => clearInterval(timer))
          },
        ],
      ]
      for (const [way, send] of ways) {
        const gone: Promise<void>[] = []
        serve = (socket) => {
          gone.push(
            new Promise((resolve) => {
              socket.once('end', () => resolve(void socket.end()))
              socket.once('close', () => resolve())
            }),
          )
          send(socket)
        }
        const path = `/surplus-${bytes}-${way.replace(' ', '')}`
        // Those who wait for the page together, whoever asked first.
        const answers = await Promise.all([0, 1, 2].map(() => ask(web.port, path)))
        for (const answer of answers) {
          expect(answer.status).toBe(200)
          expect(answer.text === body).toBe(true)
        }
        await Promise.all(gone)
        expect((await ask(web.port, `${path}?head`, { method: 'HEAD' })).status).toBe(200)
      }
    },
  )

  it('sends the rest when the next request has come already: that one is sent again', async () => {
    const asked = new Map<Socket, number>()
    serve = (socket) => {
      const requests = (asked.get(socket) ?? 0) + 1
      asked.set(socket, requests)
      if (asked.size === 1 && requests === 2) socket.write('zzzz')
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    }
    expect((await ask(web.port, '/rest?1')).text).toBe('ok')
    expect((await ask(web.port, '/rest?2')).text).toBe('ok')
    expect([...asked.values()]).toEqual([2, 1])
  })

  it('answers an upload early: the answer arrives', async () => {
    serve = (socket) =>
      socket.end('HTTP/1.1 413 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig')
    const client = new RawClient(web.port)
    client.write('POST /up HTTP/1.1\r\nHost: p.test\r\nContent-Length: 1000000\r\n\r\nsome')
    await client.until((text) => text.includes('\r\n\r\nbig'))
    expect(client.text).toMatch(/^HTTP\/1\.1 413 /)
    client.destroy()
  })

  it('is asked no more when an upload breaks off', async () => {
    const closed = new Promise<void>((resolve) => {
      serve = (socket) => void socket.once('end', () => resolve())
    })
    const client = new RawClient(web.port)
    client.write('POST /up HTTP/1.1\r\nHost: p.test\r\nContent-Length: 1000000\r\n\r\nsome')
    client.socket.end()
    await closed
    client.destroy()
  })
})
