import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCertificate } from '../web-server/support/certificates.ts'
import { H2Client } from '../web-server/support/h2-client.ts'
import { RawClient } from '../web-server/support/raw-client.ts'
import { startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { proxyToml, serveHosts, startApp, type RunningApp } from './support/proxied-web.ts'

const HOSTS = ['page.test', 'http.test', 'off.test']

let app: RunningApp
let web: WebProcess
const clients = new Map<string, H2Client>()
beforeAll(async () => {
  app = await startApp((message, out) => {
    if (message.headers.range !== undefined) {
      out.writeHead(206, { 'content-type': 'text/html', 'content-range': 'bytes 0-3/99' })
      out.end(`part of ${message.headers.range}`)
      return
    }
    out.writeEarlyHints({ link: ['</a.css>; rel=preload', '</b.js>; rel=preload'] })
    out.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'max-age=60' })
    out.write('<p>body</p>')
    out.addTrailers([
      ['x-sum', 'one'],
      ['x-sum', 'two'],
      ['set-cookie', 'late=1'],
    ])
    out.end()
  })
  web = await startWeb({ workers: 1 })
  const certificate = (host: string): string => writeCertificate(web, host, host)
  const hosts = [
    proxyToml('page.test', app.port, '', certificate('page.test')),
    `${proxyToml('http.test', app.port, '', certificate('http.test'))}[virtualhost.cache]\nmode = "http"\n`,
    `${proxyToml('off.test', app.port, '', certificate('off.test'))}[virtualhost.cache]\nenable = false\n`,
  ]
  await serveHosts(web, 'around', hosts.join(''))
  for (const host of HOSTS) clients.set(host, await H2Client.open(web.sslPort, host))
})
afterAll(async () => {
  for (const client of clients.values()) client.close()
  await web?.remove()
  await app?.close()
})

const send = async (bytes: string): Promise<string> => {
  const client = new RawClient(web.port)
  client.write(bytes)
  await client.closed
  return client.text
}
const HINTS =
  'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload, </b.js>; rel=preload\r\n\r\n'

describe.each(HOSTS)('at %s', (host) => {
  const names = `Host: ${host}\r\nConnection: close\r\n`

  it.each([
    ['GET', `GET /one HTTP/1.1\r\n${names}\r\n`],
    ['POST', `POST /two HTTP/1.1\r\n${names}Content-Length: 1\r\n\r\nx`],
  ])('a visitor gets hints before and trailers behind the answer to %s', async (_, bytes) => {
    const text = await send(bytes)
    expect(text.replaceAll(/link: ([^\r]*)\r\nlink: /gi, 'link: $1, ').toLowerCase()).toContain(
      HINTS.toLowerCase(),
    )
    expect(text.indexOf(' 103 ')).toBeLessThan(text.indexOf(' 200 '))
    expect(text).toMatch(/<p>body<\/p>\r\n0\r\nx-sum: one\r\nx-sum: two\r\n\r\n$/)
  })

  it('and over HTTP/2', async () => {
    const stream = clients.get(host)?.begin('/three')
    if (stream === undefined) throw new Error('there is no client')
    const seen: unknown[] = []
    stream.on('headers', (fields) => seen.push([fields[':status'], fields['link']]))
    stream.on('response', (fields) => seen.push(fields[':status']))
    stream.on('trailers', (fields) => seen.push(fields['x-sum']))
    stream.setEncoding('utf8').on('data', (text) => seen.push(text))
    await new Promise((resolve) => stream.on('close', resolve))
    expect(seen).toEqual([
      [103, '</a.css>; rel=preload, </b.js>; rel=preload'],
      200,
      '<p>body</p>',
      'one, two',
    ])
    expect(stream.rstCode).toBe(0)
  })

  it('a client of HTTP/1.0 gets neither', async () => {
    const text = await send(`GET /four HTTP/1.0\r\nHost: ${host}\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toMatch(/<p>body<\/p>$/)
  })

  it('a range of what is not stored is asked of the application as it is', async () => {
    for (const range of ['bytes=0-3', 'bytes=0-3,7-8']) {
      const text = await send(`GET /five HTTP/1.1\r\n${names}Range: ${range}\r\n\r\n`)
      expect(text).toMatch(/^HTTP\/1\.1 206 /)
      expect(text).toContain(`part of ${range}`)
    }
    expect(await send(`GET /five HTTP/1.1\r\n${names}\r\n`)).toContain('<p>body</p>')
  })
})
