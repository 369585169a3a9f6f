import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSelfSigned } from '#adapters/node/tls/self-signed.ts'
import { RawClient, splitResponses } from '../web-server/support/raw-client.ts'
import type { WebProcess } from '../web-server/support/web-process.ts'
import {
  ask,
  proxyToml,
  serveHosts,
  startApp,
  startProxied,
  type App,
  type RunningApp,
} from './support/proxied-web.ts'

let web: WebProcess
let app: RunningApp
beforeAll(async () => {
  app = await startApp()
  web = await startProxied(app, { more: 'headers = { "X-Site" = "p" }' })
})
afterAll(async () => {
  await web.remove()
  await app.close()
})
afterEach(() => app.answer((_, out) => out.end('app')))

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Answers with what it was asked. */
const echo: App = (message, out) => {
  const hash = createHash('sha256')
  message.on('data', (part: Buffer) => hash.update(part))
  message.on('end', () => {
    const { method, url, headers } = message
    out.setHeader('content-type', 'application/json')
    out.end(JSON.stringify({ method, url, headers, digest: hash.digest('hex') }))
  })
}
interface Echoed {
  method: string
  url: string
  headers: Record<string, string>
  digest: string
}
const echoed = async (...args: Parameters<typeof ask>): Promise<Echoed> =>
  JSON.parse((await ask(...args)).text) as Echoed

describe('an application', () => {
  it('answers in place of files: method, path, query, fields, status, cookies', async () => {
    app.answer(echo)
    const seen = await echoed(web.port, '/.env/a%2Fb/%41?x=%20y&x=1', {
      method: 'DELETE',
      headers: { 'x-mine': 'ä', cookie: 'a=1; b=2' },
    })
    expect(seen).toMatchObject({ method: 'DELETE', url: '/.env/a%2Fb/A?x=%20y&x=1' })
    expect(seen.headers).toMatchObject({
      host: 'p.test',
      cookie: 'a=1; b=2',
      'content-length': '0',
    })
    app.answer((_, out) => {
      out.writeHead(
        418,
        [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['X-App', 'yes'],
          ['X-Site', 'not this'],
        ].flat(),
      )
      out.end('teapot')
    })
    const answer = await ask(web.port, '/')
    expect(answer).toMatchObject({ status: 418, text: 'teapot' })
    expect(answer.headers).toMatchObject({ 'x-app': 'yes', 'x-site': 'p', server: 'Berth' })
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2'])
  })

  it('gets uploads, counted and chunked, and its large answers arrive whole', async () => {
    app.answer(echo)
    const body = randomBytes(5_000_000)
    expect((await echoed(web.port, '/', { method: 'POST', body })).digest).toBe(digest(body))
    const headers = { 'transfer-encoding': 'chunked' }
    const chunked = await echoed(web.port, '/', { method: 'PUT', headers, body })
    expect(chunked.digest).toBe(digest(body))
    expect(chunked.headers['content-length']).toBeUndefined()
    app.answer((_, out) => out.end(body))
    expect((await ask(web.port, '/big')).body.equals(body)).toBe(true)
    app.answer((_, out) => {
      out.write(body)
      out.end(body)
    })
    expect((await ask(web.port, '/big?chunked')).body.length).toBe(2 * body.length)
  })

  it('streams both ways at once, and events leave at once', async () => {
    app.answer((message, out) => {
      out.writeHead(200, { 'content-type': 'text/event-stream' })
      message.on('data', (part: Buffer) => out.write(`data: ${part.toString()}\n\n`))
      message.on('end', () => out.end('data: end\n\n'))
    })
    const client = new RawClient(web.port)
    client.write('POST /events HTTP/1.1\r\nHost: p.test\r\nTransfer-Encoding: chunked\r\n\r\n')
    client.write('3\r\none\r\n')
    await client.until((text) => text.includes('data: one'))
    client.write('3\r\ntwo\r\n')
    await client.until((text) => text.includes('data: two'))
    client.write('0\r\n\r\n')
    await client.until((text) => text.includes('data: end'))
    client.destroy()
  })

  it('sends the head of an event stream before the first event', async () => {
    app.answer((_, out) => {
      out.writeHead(200, { 'content-type': 'text/event-stream' })
      out.flushHeaders()
    })
    const client = new RawClient(web.port)
    client.write('GET /head-first HTTP/1.1\r\nHost: p.test\r\n\r\n')
    await client.until((text) => text.includes('\r\n\r\n'))
    expect(client.text).toMatch(/^HTTP\/1\.1 200 OK/)
    client.destroy()
  })

  it('is slowed down by a client that does not read', async () => {
    let sent = 0
    const piece = Buffer.alloc(65_536)
    const blocked = new Promise<void>((resolve) => {
      app.answer((_, out) => {
        const more = (): void => {
          while (sent < 2 ** 30 && out.write(piece)) sent += piece.length
          // A megabyte or so waits in the sockets between the two.
          const seen = sent
          setTimeout(() => {
            if (seen === sent) resolve()
          }, 300)
          out.once('drain', more)
        }
        more()
      })
    })
    const client = new RawClient(web.port, { paused: true })
    client.write('GET /endless HTTP/1.1\r\nHost: p.test\r\n\r\n')
    await blocked
    expect(sent).toBeLessThan(2 ** 26)
    client.destroy()
  })

  it('is told when the client leaves, while it works and while it answers', async () => {
    for (const begun of [false, true]) {
      let arrived = (): void => undefined
      const asked = new Promise<void>((resolve) => (arrived = resolve))
      const closed = new Promise<void>((resolve) => {
        app.answer((message, out) => {
          arrived()
          message.socket.once('close', () => resolve())
          if (begun) out.write('begun')
        })
      })
      // With a query and a cookie of a session, so that nobody else may wait for it.
      const client = new RawClient(web.port)
      client.write('GET /slow?x HTTP/1.1\r\nHost: p.test\r\nCookie: PHPSESSID=1\r\n\r\n')
      await asked
      if (begun) await client.until((text) => text.includes('begun'))
      // A client that only ends its side may still want the answer.
      client.socket.resetAndDestroy()
      await closed
    }
  })

  it('invites a body itself, or refuses it before it was sent', async () => {
    app.answer(echo)
    const expecting = (path: string): RawClient => {
      const client = new RawClient(web.port)
      client.write(
        `POST ${path} HTTP/1.1\r\nHost: p.test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
      )
      return client
    }
    const invited = expecting('/yes')
    await invited.until((text) => text.includes('100 Continue\r\n\r\n'))
    invited.write('hello')
    await invited.until((text) => text.includes(digest(Buffer.from('hello'))))
    invited.destroy()
    const refuse = (message: { url?: string }, out: Parameters<App>[1]): void => {
      out.writeHead(403)
      out.end(`no ${message.url}`)
    }
    app.server.on('checkContinue', refuse)
    const refused = expecting('/no')
    await refused.closed
    app.server.off('checkContinue', refuse)
    expect(splitResponses(refused.text)).toMatchObject([{ status: 403, body: 'no /no' }])
    refused.destroy()
  })

  it('sends early hints and trailers; fields of the connection stay behind', async () => {
    app.answer((_, out) => {
      out.writeEarlyHints({ link: '</a.css>; rel=preload' })
      out.writeHead(200, {
        connection: 'keep-alive, x-hop',
        'x-hop': '1',
        'x-end': '1',
        'keep-alive': 'timeout=9',
        'proxy-authenticate': 'Basic',
        trailer: 'x-sum',
        'content-type': 'text/plain',
      })
      out.write('body')
      out.addTrailers({ 'x-sum': '1' })
      out.end()
    })
    for (const lines of ['', 'Content-Length: 0\r\n']) {
      const client = new RawClient(web.port)
      client.write(`GET /hints HTTP/1.1\r\nHost: p.test\r\nConnection: close\r\n${lines}\r\n`)
      await client.closed
      expect(client.text).toMatch(/\r\n0\r\nx-sum: 1\r\n\r\n$/)
      const [hints, answer] = splitResponses(client.text.replace(/x-sum: 1\r\n\r\n$/, '\r\n'))
      expect(hints).toMatchObject({ status: 103, headers: { link: '</a.css>; rel=preload' } })
      expect(answer).toMatchObject({ status: 200, body: 'body', headers: { 'x-end': '1' } })
      for (const name of ['x-hop', 'keep-alive', 'proxy-authenticate', 'trailer', 'x-sum']) {
        expect(answer?.headers).not.toHaveProperty(name)
      }
      client.destroy()
    }
  })

  it('keeps its connections, and one that it closed is replaced without anybody noticing', async () => {
    app.answer((message, out) => out.end(message.url))
    await ask(web.port, '/k?0')
    const before = app.accepted()
    for (let i = 1; i < 5; i++) expect((await ask(web.port, `/k?${i}`)).text).toBe(`/k?${i}`)
    expect(app.accepted()).toBe(before)
    // Closed in the moment of the next request: only the answer's absence shows it.
    app.answer((message) => {
      app.answer((again, out) => out.end(`again ${again.url}`))
      message.socket.destroy()
    })
    expect((await ask(web.port, '/k?5')).text).toBe('again /k?5')
  })

  it('gets a request that changes something once only', async () => {
    let seen = 0
    app.answer((message) => {
      seen++
      message.socket.destroy()
    })
    expect((await ask(web.port, '/once', { method: 'POST', body: 'x' })).status).toBe(502)
    expect((await ask(web.port, '/once', { method: 'POST' })).status).toBe(502)
    expect(seen).toBe(2)
  })

  it('answers HEAD, 204 and 304 without a body', async () => {
    app.answer((message, out) => {
      out.statusCode = Number(message.url?.slice(2)) || 200
      out.setHeader('content-length', '3')
      out.end(message.method === 'HEAD' ? undefined : 'abc')
    })
    const head = await ask(web.port, '/?200', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '3' } })
    expect(await ask(web.port, '/?204')).toMatchObject({ status: 204, text: '' })
    expect(await ask(web.port, '/?304')).toMatchObject({ status: 304, text: '' })
    app.answer((_, out) => out.end('next'))
    expect((await ask(web.port, '/?next')).text).toBe('next')
  })
})

describe('a virtual host with a proxy', () => {
  it('passes on some paths only, and serves files at the others', async () => {
    app.answer((message, out) => out.end(`app ${message.url}`))
    writeFileSync(join(web.directory, 'home/index.html'), '<p>file</p>')
    writeFileSync(join(web.directory, 'home/.env'), 'secret')
    const rule = 'paths = ["/api", "/live/"]'
    const root = `root = "${web.directory}/home"`
    await serveHosts(web, 'some', proxyToml('some.test', app.port, rule, root))
    const text = async (path: string): Promise<string> => {
      const { status, text: body } = await ask(web.port, path, { host: 'some.test' })
      return status === 200 ? body : String(status)
    }
    expect(await text('/')).toBe('<p>file</p>')
    expect(await text('/api')).toBe('app /api')
    expect(await text('/api/.env?1')).toBe('app /api/.env?1')
    expect(await text('/x/../api/y')).toBe('app /api/y')
    expect(await text('/apis')).toBe('404')
    expect(await text('/live')).toBe('404')
    expect(await text('/live/x')).toBe('app /live/x')
    expect(await text('/.env')).toBe('404')
    expect(await text('/api/../.env')).toBe('404')
  })

  it('reaches an application over https, with a certificate that is checked', async () => {
    const { key, cert } = createSelfSigned('localhost')
    const server = createTlsServer({ key, cert }, (message, out) =>
      out.end(`tls ${message.headers.host}`),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    const { port } = server.address() as AddressInfo
    const toml = (domain: string, rule: string): string =>
      proxyToml(domain, port, rule).replace('http://127', 'https://127')
    const hosts = toml('any.test', 'verify_tls = false\npreserve_host = false')
    await serveHosts(web, 'tls', `${hosts}${toml('strict.test', '')}`)
    expect((await ask(web.port, '/', { host: 'any.test' })).text).toBe(`tls 127.0.0.1:${port}`)
    const posted = { host: 'any.test', method: 'POST', body: 'x' }
    expect((await ask(web.port, '/', posted)).text).toBe(`tls 127.0.0.1:${port}`)
    expect((await ask(web.port, '/', { host: 'strict.test' })).status).toBe(502)
    server.close()
    server.closeAllConnections()
  })

  it('reaches an application over a unix socket', async () => {
    const path = join(web.directory, 'a.sock')
    const other = await startApp((_, out) => out.end('over a socket'))
    await new Promise<void>((resolve) => other.server.close(() => resolve()))
    await new Promise<void>((resolve) => other.server.listen(path, () => resolve()))
    const toml = proxyToml('u.test', 1).replace('http://127.0.0.1:1', `unix:${path}`)
    await serveHosts(web, 'unix', toml)
    for (const method of ['GET', 'POST']) {
      expect((await ask(web.port, '/', { host: 'u.test', method })).text).toBe('over a socket')
    }
    await other.close()
  })
})
