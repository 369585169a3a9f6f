import { once } from 'node:events'
import { chownSync, mkdirSync, symlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import {
  ask,
  proxyToml,
  serveHosts,
  startApp,
  startRawApp,
  type RunningApp,
} from '../../node/proxy/support/proxied-web.ts'
import { RawClient, splitResponses } from '../../node/web-server/support/raw-client.ts'
import { startWeb, type WebProcess } from '../../node/web-server/support/web-process.ts'

/** No account of this machine. */
const TENANT = 64_321
const OTHER = 64_322

let web: WebProcess
let app: RunningApp
beforeEach(async () => {
  app = await startApp((message, out) => out.end(`app ${message.method} ${message.url}`))
  web = await startWeb({ workers: 1 })
})
afterEach(async () => {
  await web.remove()
  await app.close()
})

/** A virtual host of an account, as the panel would write it if it let everything through. */
const accountToml = (upstream: string): string =>
  proxyToml(
    't.test',
    1,
    '',
    `root = "${web.directory}/home/t/public_html"\nhome = "${web.directory}/home/t"\nusername = "t"\nuid = ${TENANT}`,
  ).replace('http://127.0.0.1:1', upstream)

describe("an account's proxy", () => {
  const refused = async (upstream: string): Promise<string> => {
    web.writeHosts('t', accountToml(upstream))
    const { status, body } = await web.control('POST', '/reload')
    web.removeHosts('t')
    expect(status, upstream).toBe(422)
    return JSON.stringify(body)
  }

  it('leads to no other machine, no port of the system, and none of ours', async () => {
    const api = web.apiPort
    const targets = [
      'http://169.254.169.254',
      'http://169.254.169.254:8080',
      'http://metadata.google.internal:8080',
      'http://192.168.0.1:8080',
      'http://[fd00:ec2::254]:8080',
      'http://[::ffff:127.0.0.1]:3000',
      'http://0.0.0.0:3000',
      'http://[::]:3000',
      'http://localhost.evil.test:3000',
      'http://127.0.0.1:22',
      'http://127.0.0.1',
      'https://127.0.0.1',
      ...[web.port, web.sslPort, api, 7070].flatMap((port) => [
        `http://127.0.0.1:${port}`,
        `http://127.1.2.3:${port}`,
        `http://localhost:${port}`,
        `http://[::1]:${port}`,
        `http://0x7f000001:${port}`,
        `https://127.0.0.1:${port}`,
      ]),
      'unix:/run/berth/agent-web.sock',
      `unix:${web.directory}/run/web.sock`,
      `unix:${web.directory}/home/u/app.sock`,
      `unix:${web.directory}/home/t/../u/app.sock`,
      `unix:${web.directory}/home/t2.sock`,
    ]
    for (const target of targets) expect(await refused(target)).toMatch(/proxy\.upstream/)
  })

  it('may lead to an application of its own', async () => {
    await serveHosts(web, 't', accountToml(`http://127.0.0.1:${app.port}`))
    expect((await ask(web.port, '/x', { host: 't.test' })).text).toBe('app GET /x')
  })

  it('reaches through a socket in its home only a socket of its own', async () => {
    const home = join(web.directory, 'home/t')
    mkdirSync(join(home, 'run'), { recursive: true })
    mkdirSync(join(web.directory, 'home/u'))
    chownSync(home, TENANT, TENANT)
    const secret = await startApp((_, out) => out.end('of somebody else'))
    const listen = async (path: string, uid: number): Promise<void> => {
      await new Promise<void>((resolve) => secret.server.close(() => resolve()))
      await new Promise<void>((resolve) => secret.server.listen(path, () => resolve()))
      chownSync(path, uid, uid)
    }
    const status = async (name: string): Promise<number> => {
      await serveHosts(web, 't', accountToml(`unix:${home}/${name}`))
      const got = [await ask(web.port, '/', { host: 't.test' })]
      got.push(await ask(web.port, '/', { host: 't.test', method: 'POST' }))
      expect(got[1]?.status).toBe(got[0]?.status)
      return got[0]?.status ?? 0
    }
    symlinkSync(join(web.directory, 'run/web.sock'), join(home, 'control.sock'))
    expect(await status('control.sock')).toBe(502)
    symlinkSync(join(web.directory, 'run'), join(home, 'linked'))
    expect(await status('linked/web.sock')).toBe(502)
    await listen(join(web.directory, 'home/u/app.sock'), OTHER)
    symlinkSync(join(web.directory, 'home/u'), join(home, 'u'))
    expect(await status('u/app.sock')).toBe(502)
    await listen(join(home, 'run/other.sock'), OTHER)
    expect(await status('run/other.sock')).toBe(502)
    await listen(join(home, 'run/own.sock'), TENANT)
    expect(await status('run/own.sock')).toBe(200)
    expect(await status('run')).toBe(502)
    await secret.close()
  })
})

describe("anybody's proxy", () => {
  it('never leads to our sockets, or in a circle', async () => {
    for (const upstream of [`unix:${web.directory}/run/web.sock`, `http://127.0.0.1:${web.port}`]) {
      web.writeHosts('p', proxyToml('p.test', 1).replace('http://127.0.0.1:1', upstream))
      const { status, body } = await web.control('POST', '/reload')
      expect(status).toBe(422)
      expect(JSON.stringify(body)).toMatch(/p\.toml:\d+: virtualhost\[0\]\.proxy\.upstream/)
    }
  })
})

describe('smuggling', () => {
  const send = async (text: string): Promise<string> => {
    const client = new RawClient(web.port)
    client.write(text)
    client.socket.end()
    await client.closed
    client.destroy()
    return client.text
  }

  it('a body that the method has no use for never becomes a request to the application', async () => {
    const seen: string[] = []
    app.answer((message, out) => {
      seen.push(`${message.method} ${message.url}`)
      out.end('ok')
    })
    await serveHosts(web, 'p', proxyToml('p.test', app.port))
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: p.test\r\n\r\n'
    for (const head of [
      `GET /g?1 HTTP/1.1\r\nHost: p.test\r\nContent-Length: ${hidden.length}\r\n`,
      `HEAD /g?1 HTTP/1.1\r\nHost: p.test\r\nContent-Length: ${hidden.length}\r\n`,
      `GET /g?1 HTTP/1.1\r\nHost: p.test\r\nConnection: content-length\r\nContent-Length: ${hidden.length}\r\n`,
      `POST /g?1 HTTP/1.1\r\nHost: p.test\r\nConnection: content-length\r\nContent-Length: ${hidden.length}\r\n`,
      `POST /g?1 HTTP/1.1\r\nHost: p.test\r\nContent_Length: 0\r\nTransfer_Encoding: chunked\r\nContent-Length: ${hidden.length}\r\n`,
    ]) {
      await send(`${head}\r\n${hidden}`)
      await ask(web.port, '/after?1')
    }
    expect(seen.filter((line) => line.includes('hidden'))).toEqual([])
    expect(seen.filter((line) => line.includes('/after'))).toHaveLength(5)
  })

  it('two framings, odd framings and broken fields are refused, never passed on', async () => {
    const seen: string[] = []
    const raw = await startRawApp((socket: Socket) => {
      socket.on('data', (chunk: Buffer) => {
        seen.push(chunk.toString('latin1'))
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })
    })
    await serveHosts(web, 'p', proxyToml('p.test', raw.port))
    for (const fields of [
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: chunked, identity',
      'Transfer-Encoding: xchunked',
      'Content-Length: 5\r\nContent-Length: 6',
      'Content-Length: +5',
      'Transfer-Encoding : chunked',
      'X: a\r\n b: c\r\nContent-Length: 5',
      'Host: other.test\r\nContent-Length: 5',
    ]) {
      const text = await send(`POST /s HTTP/1.1\r\nHost: p.test\r\n${fields}\r\n\r\n0\r\n\r\n`)
      expect(splitResponses(text)[0]?.status, fields).toBeGreaterThanOrEqual(400)
    }
    expect(seen).toEqual([])
    await ask(web.port, '/%0d%0aX-Evil:%201?q=%0d%0aX-Evil:%201')
    expect(seen.join('')).not.toMatch(/\nX-Evil/i)
    await raw.close()
  })
})

describe('an upgrade', () => {
  const handshake = (more = '', line = 'GET /u HTTP/1.1'): string =>
    `${line}\r\nHost: p.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`
  const HIDDEN = 'GET /hidden HTTP/1.1\r\nHost: p.test\r\n\r\n'

  it('that was not switched leaves no pipe to the application, whatever it answers', async () => {
    const seen: string[] = []
    let answer = ''
    const raw = await startRawApp((socket: Socket) => {
      socket.on('data', (chunk: Buffer) => {
        seen.push(chunk.toString('latin1'))
        socket.write(answer)
      })
    })
    await serveHosts(web, 'p', proxyToml('p.test', raw.port, 'timeout_secs = 1'))
    for (const [reply, status] of [
      ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 200],
      [
        'HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nok',
        200,
      ],
      ['HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n', 426],
      ['HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n', 502],
      ['HTTP/1.1 101 Switching Protocols\r\n\r\n', 502],
    ] as const) {
      answer = reply
      const client = new RawClient(web.port)
      client.write(`${handshake()}${HIDDEN}`)
      await client.until((text) => text.includes('\r\n\r\n'))
      client.write(HIDDEN)
      await client.closed
      expect(splitResponses(client.text)).toMatchObject([{ status }])
      client.destroy()
    }
    expect(seen.join('')).not.toContain('hidden')
    await raw.close()
  })

  it('to another protocol, with a body, or with another method is no upgrade', async () => {
    const seen: Record<string, unknown>[] = []
    app.answer((message, out) => {
      seen.push(message.headers)
      message.resume()
      message.on('end', () => out.end('ok'))
    })
    await serveHosts(web, 'p', proxyToml('p.test', app.port))
    for (const request of [
      `GET /u?1 HTTP/1.1\r\nHost: p.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n`,
      `${handshake('Content-Length: 5\r\n', 'POST /u HTTP/1.1')}hello`,
      handshake('', 'GET /u?2 HTTP/1.0'),
    ]) {
      const client = new RawClient(web.port)
      client.write(request)
      await client.until((text) => text.endsWith('ok') || text.endsWith('0\r\n\r\n'))
      expect(client.text).toMatch(/^HTTP\/1\.1 200 /)
      client.destroy()
    }
    expect(seen).toHaveLength(3)
    for (const headers of seen) {
      expect(headers).not.toHaveProperty('upgrade')
      expect(headers).not.toHaveProperty('http2-settings')
    }
  })

  it('reaches no site without a proxy, no other path, and no suspended site', async () => {
    let connections = 0
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    sockets.on('connection', () => connections++)
    await once(sockets, 'listening')
    const address = sockets.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const root = `root = "${web.directory}/home"`
    await serveHosts(
      web,
      'p',
      [
        proxyToml('p.test', port, 'paths = ["/live"]', root),
        proxyToml('s.test', port, '', 'suspended = true'),
        `[[virtualhost]]\ndomain = "f.test"\n${root}\n`,
      ].join('\n'),
    )
    for (const [host, path, status] of [
      ['p.test', '/u', 404],
      ['f.test', '/live', 404],
      ['s.test', '/live', 503],
      ['unknown.test', '/live', 404],
    ] as const) {
      const client = new RawClient(web.port)
      client.write(handshake('', `GET ${path} HTTP/1.1`).replace('p.test', host))
      await client.closed
      expect(splitResponses(client.text)).toMatchObject([{ status }])
      client.destroy()
    }
    expect(connections).toBe(0)
    const client = new RawClient(web.port)
    client.write(handshake('', 'GET /live HTTP/1.1'))
    await client.until((text) => text.includes('\r\n\r\n'))
    expect(client.text).toMatch(/^HTTP\/1\.1 101 /)
    client.destroy()
    sockets.close()
    for (const socket of sockets.clients) socket.terminate()
  })
})
