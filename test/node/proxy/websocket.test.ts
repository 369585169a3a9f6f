import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  Agent as HttpAgent,
  get as httpGet,
  type ClientRequest,
  type IncomingMessage,
  type Server as HttpServer,
} from 'node:http'
import { Agent as HttpsAgent, get as httpsGet } from 'node:https'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { RawClient } from '../web-server/support/raw-client.ts'
import { eventually, type WebProcess } from '../web-server/support/web-process.ts'
import {
  ask,
  proxyToml,
  serveHosts,
  startApp,
  startProxied,
  type RunningApp,
} from './support/proxied-web.ts'

let app: RunningApp
let sockets: WebSocketServer
let web: WebProcess
beforeAll(async () => {
  app = await startApp((_, out) => out.end('a page'))
  sockets = new WebSocketServer({
    server: app.server as HttpServer,
    verifyClient: ({ req }: { req: IncomingMessage }) => req.url !== '/refused',
    handleProtocols: (offered: Set<string>) => [...offered][0] ?? false,
    maxPayload: 2 ** 26,
  })
  sockets.on('connection', (socket, message) => {
    socket.on('error', () => undefined)
    if (message.url === '/about') {
      socket.send(JSON.stringify({ url: message.url, headers: message.headers }))
    }
    socket.on('message', (data, binary) => {
      if (String(data) === 'close') socket.close(4321, 'as asked')
      else socket.send(data, { binary })
    })
  })
  web = await startProxied(app, { workers: 2 })
})
beforeEach(() => serveHosts(web, 'p', proxyToml('p.test', app.port, 'websocket_idle_secs = 2')))
afterEach(async () => {
  for (const socket of sockets.clients) socket.terminate()
  await eventually('nobody is connected', () => sockets.clients.size === 0)
})
afterAll(async () => {
  await web.remove()
  sockets.close()
  await app.close()
})

const open = async (path = '/', options: { secure?: boolean; protocols?: string[] } = {}) => {
  const url = options.secure ? `wss://127.0.0.1:${web.sslPort}` : `ws://127.0.0.1:${web.port}`
  const socket = new WebSocket(`${url}${path}`, options.protocols ?? [], {
    headers: { host: 'p.test' },
    origin: 'http://p.test',
    rejectUnauthorized: false,
  })
  await once(socket, 'open')
  return socket
}
/** Sends and gets back. */
const echo = async (socket: WebSocket, data: string | Buffer): Promise<unknown> => {
  const answer = once(socket, 'message')
  socket.send(data)
  return (await answer)[0]
}
const closeOf = async (socket: WebSocket): Promise<[number, string]> => {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
  return [code, reason.toString()]
}

describe('a WebSocket', () => {
  it.each([false, true])(
    'carries text, binary and large messages, and closes (TLS: %s)',
    async (secure) => {
      const socket = await open('/', { secure })
      expect(String(await echo(socket, 'hello'))).toBe('hello')
      const large = randomBytes(5_000_000)
      expect(large.equals((await echo(socket, large)) as Buffer)).toBe(true)
      const closed = closeOf(socket)
      socket.send('close')
      expect(await closed).toEqual([4321, 'as asked'])
      const other = await open('/', { secure })
      const [server] = sockets.clients
      const seen = once(server as WebSocket, 'close')
      other.close(4000, 'mine')
      expect((await seen)[0]).toBe(4000)
    },
  )

  it.each([false, true])(
    'opens on a connection that gave pages before (TLS: %s)',
    async (secure) => {
      const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 1 })
      const port = secure ? web.sslPort : web.port
      const where = { host: '127.0.0.1', port, agent, headers: { host: 'p.test' } }
      for (let count = 0; count < 3; count++) {
        const asked = (secure ? httpsGet : httpGet)({ ...where, rejectUnauthorized: false })
        const [answer] = (await once(asked, 'response')) as [IncomingMessage]
        answer.resume()
        await once(answer, 'end')
      }
      let reused = false
      const socket = new WebSocket(`${secure ? 'wss' : 'ws'}://127.0.0.1:${port}/`, {
        agent,
        headers: { host: 'p.test' },
        rejectUnauthorized: false,
        finishRequest: (request: ClientRequest) => {
          reused = request.reusedSocket
          request.end()
        },
      })
      await once(socket, 'open')
      expect(reused).toBe(true)
      const large = randomBytes(5_000_000)
      expect(large.equals((await echo(socket, large)) as Buffer)).toBe(true)
      socket.terminate()
      agent.destroy()
    },
  )

  it('brings its origin, protocol and the facts of the connection', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${web.port}/about`, ['chat'], {
      headers: {
        host: `p.test:${web.port}`,
        'x-forwarded-for': '6.6.6.6',
        cookie: 'panel_token=secret; a=b',
      },
      origin: 'http://p.test',
    })
    const [data] = (await once(socket, 'message')) as [Buffer]
    expect(socket.protocol).toBe('chat')
    const about = JSON.parse(data.toString()) as { url: string; headers: Record<string, string> }
    expect(about.headers).toMatchObject({
      host: `p.test:${web.port}`,
      origin: 'http://p.test',
      cookie: 'a=b',
      upgrade: 'websocket',
      'sec-websocket-protocol': 'chat',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    })
    socket.terminate()
  })

  it('is one of a hundred at once', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => open()))
    const answers = await Promise.all(all.map((socket, i) => echo(socket, `message ${i}`)))
    expect(answers.map(String)).toEqual(all.map((_, i) => `message ${i}`))
    expect(sockets.clients.size).toBe(100)
    for (const socket of all) socket.terminate()
    await eventually('the application sees them leave', () => sockets.clients.size === 0)
  })

  it('goes on through a reload, and ends when its site is suspended', async () => {
    await serveHosts(web, 'p', proxyToml('p.test', app.port))
    const socket = await open()
    await serveHosts(web, 'other', proxyToml('other.test', app.port))
    expect(String(await echo(socket, 'still'))).toBe('still')
    const closed = closeOf(socket)
    await serveHosts(web, 'p', proxyToml('p.test', app.port, '', 'suspended = true'))
    expect((await closed)[0]).toBe(1006)
    expect((await ask(web.port, '/')).status).toBe(503)
    await expect(open()).rejects.toThrow('503')
  })

  it('ends when the traffic of its site is used up, and a new one gets 509', async () => {
    // Not the silence that ends them.
    await serveHosts(web, 'p', proxyToml('p.test', app.port))
    const [socket, secure] = [await open(), await open('/', { secure: true })]
    const closed = Promise.all([closeOf(socket), closeOf(secure)])
    await serveHosts(web, 'p', proxyToml('p.test', app.port, '', 'over_bandwidth = true'))
    expect((await closed).map(([code]) => code)).toEqual([1006, 1006])
    await eventually('the application sees them leave', () => sockets.clients.size === 0)
    await expect(open()).rejects.toThrow('509')
    await serveHosts(web, 'p', proxyToml('p.test', app.port))
    const next = await open()
    expect(String(await echo(next, 'again'))).toBe('again')
    next.terminate()
  })

  it('ends when its virtual host is removed, or has no proxy any more', async () => {
    for (const toml of [
      proxyToml('p.test', app.port).replace(/\[virtualhost.proxy\][^]*/, 'root = "."'),
      null,
    ]) {
      await serveHosts(web, 'p', proxyToml('p.test', app.port))
      const socket = await open()
      const closed = closeOf(socket)
      if (toml === null) {
        web.removeHosts('p')
        expect((await web.control('POST', '/reload')).status).toBe(200)
      } else await serveHosts(web, 'p', toml)
      expect((await closed)[0]).toBe(1006)
      await eventually('the application sees it leave', () => sockets.clients.size === 0)
      await expect(open()).rejects.toThrow('404')
    }
  })

  it('gets a moment when its worker is replaced; a new one reaches the new worker', async () => {
    const socket = await open()
    const closed = closeOf(socket)
    // A restart may take longer than a connection may be silent here.
    const alive = setInterval(() => socket.ping(() => undefined), 200)
    try {
      const restarted = await web.control('POST', '/restart')
      expect(restarted.status).toBe(200)
      expect(String(await echo(socket, 'still'))).toBe('still')
      const next = await open()
      expect(String(await echo(next, 'new'))).toBe('new')
      await closed
    } finally {
      clearInterval(alive)
    }
  })

  it('ends after the silence that is allowed', async () => {
    const socket = await open()
    const [server] = sockets.clients
    const seen = once(server as WebSocket, 'close')
    expect((await closeOf(socket))[0]).toBe(1006)
    await seen
  })

  it('that the application refuses gets its answer, and the connection ends', async () => {
    await expect(open('/refused')).rejects.toThrow('401')
    const client = new RawClient(web.port)
    client.write(
      'GET /refused HTTP/1.1\r\nHost: p.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\nGET /hidden HTTP/1.1\r\nHost: p.test\r\n\r\n',
    )
    await client.closed
    expect(client.text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(client.text).toMatch(/^HTTP\/1\.1 401 /)
    client.destroy()
  })

  it('is refused where the virtual host says so', async () => {
    await serveHosts(web, 'p', proxyToml('p.test', app.port, 'websocket = false'))
    // The application answers what it would answer without the wish for a WebSocket.
    await expect(open()).rejects.toThrow('200')
    expect(sockets.clients.size).toBe(0)
  })

  it('begins without the words of the application to its cache', async () => {
    const speak = (fields: string[]): void => void fields.push('X-LiteSpeed-Purge: *', 'X-Own: 1')
    sockets.on('headers', speak)
    const socket = new WebSocket(`ws://127.0.0.1:${web.port}/`, [], { headers: { host: 'p.test' } })
    const [[answer]] = await Promise.all([once(socket, 'upgrade'), once(socket, 'open')])
    sockets.off('headers', speak)
    const { headers } = answer as IncomingMessage
    expect([headers['x-own'], headers['x-litespeed-purge']]).toEqual(['1', undefined])
    socket.close()
    await closeOf(socket)
  })

  it('is counted as a connection and logged when it ends', async () => {
    const socket = await open('/logged')
    await echo(socket, 'x')
    socket.close()
    await closeOf(socket)
    const line = /"GET \/logged HTTP\/1\.1" 101 /
    await eventually('logged', () =>
      line.test(readFileSync(join(web.directory, 'log/web/access.log'), 'latin1')),
    )
  })
})
