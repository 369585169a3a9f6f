import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCertificate } from '../web-server/support/certificates.ts'
import { H2Client } from '../web-server/support/h2-client.ts'
import { phpHost, startPhpSite, type PhpSite } from '../web-server/support/php-site.ts'
import { RawClient } from '../web-server/support/raw-client.ts'
import { startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { proxyToml, serveHosts, startRawApp } from './support/proxied-web.ts'

const METHODS = [
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'REPORT', 'SEARCH'],
  ...['QUERY', 'ACL', 'MKCALENDAR', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'M-SEARCH'],
  ...['VERSION-CONTROL', 'BASELINE-CONTROL', 'UPDATE', 'LABEL', 'BREW', 'brew', 'X!#$%&*+.^_`|~9'],
]

let app: Awaited<ReturnType<typeof startRawApp>>
let php: PhpSite
let web: WebProcess
let h2: H2Client
beforeAll(async () => {
  // Not Node's own server: that would read a part of these methods only.
  app = await startRawApp((socket) => {
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      const said = `${text.split(' ', 1)[0]} ${text.slice(end + 4)}`
      text = ''
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${said.length}\r\n\r\n${said}`)
    })
    socket.on('end', () => socket.end())
  })
  web = await startWeb({ workers: 1 })
  php = await startPhpSite(join(web.directory))
  writeFileSync(
    join(php.root, 'index.php'),
    '<?php echo $_SERVER["REQUEST_METHOD"], " ", file_get_contents("php://input");',
  )
  mkdirSync(join(web.directory, 'files'))
  const off = '[virtualhost.cache]\nenable = false\n'
  const hosts = [
    proxyToml('on.test', app.port, '', writeCertificate(web, 'on', 'on.test')),
    `${proxyToml('off.test', app.port)}${off}`,
    phpHost(php, 'php.test'),
    `${phpHost(php, 'php-off.test')}${off}`,
  ]
  await serveHosts(web, 'm', hosts.join(''))
  h2 = await H2Client.open(web.sslPort, 'on.test')
})
afterAll(async () => {
  h2?.close()
  await php?.stop()
  await web?.remove()
  await app?.close()
})

/** What comes back for a request line, its fields and a body. */
const send = async (
  line: string,
  host = 'on.test',
  { fields = '', body = '' } = {},
): Promise<{ status: number; head: string; body: string }> => {
  const client = new RawClient(web.port)
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`
  client.write(
    `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${fields}${length}\r\n${body}`,
  )
  await client.closed
  const end = client.text.indexOf('\r\n\r\n')
  return {
    status: Number(client.text.slice(9, 12)),
    head: client.text.slice(0, end),
    body: client.text.slice(end + 4),
  }
}

describe.each(['on.test', 'off.test', 'php.test', 'php-off.test'])('methods at %s', (host) => {
  it.each(METHODS)('%s reaches the application, with its body', async (method) => {
    for (const body of ['', 'said'])
      expect(await send(`${method} /index.php/x`, host, { body })).toMatchObject({
        status: 200,
        body: `${method} ${body}`,
      })
  })

  it('PURGE reaches it where the page cache is off, and is ours elsewhere', async () => {
    const { status, body } = await send('PURGE /index.php', host)
    if (host.endsWith('off.test')) expect([status, body]).toEqual([200, 'PURGE '])
    else expect(body).not.toMatch(/^PURGE /)
  })
})

describe('methods', () => {
  it.each(METHODS)('%s over HTTP/2', async (method) => {
    const answer = await h2.send('/x', 'said', { ':method': method, 'content-length': '4' })
    expect([answer.status, answer.body]).toEqual([200, `${method} said`])
  })

  it('that node:http does not know may come in pieces, and after other requests', async () => {
    const client = new RawClient(web.port)
    for (const piece of [
      'GET /a HTTP/1.1\r\nHost: on.test\r\n\r\n',
      'VERSION-',
      'CONTROL',
      ' /b HTT',
    ]) {
      client.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    client.write('P/1.1\r\nHost: on.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')
    await client.closed
    expect(client.text).toContain('GET ')
    expect(client.text).toContain('VERSION-CONTROL ')
  })

  it('of too many characters, and what is none, are 400', async () => {
    const longest = 'A'.repeat(64)
    expect((await send(`${longest} /`)).body).toBe(`${longest} `)
    expect((await send(`${longest}A /`)).status).toBe(400)
    expect((await send(`${'A'.repeat(200_000)} /`)).status).toBe(400)
    expect((await send('A(B /')).status).toBe(400)
    const answer = await h2.get('/', { ':method': `${longest}A` })
    expect(answer.status).toBe(400)
  })

  it('that would turn into others, and those that no site offers, are refused', async () => {
    for (const method of ['get', 'Post', 'TRACE', 'TRACK', 'track']) {
      expect([method, (await send(`${method} /`)).status]).toEqual([method, 501])
      const answer = await h2.get('/', { ':method': method })
      expect([method, answer.status]).toEqual([method, 501])
    }
  })
})

describe('OPTIONS *', () => {
  it('is answered, over HTTP/1 and HTTP/2', async () => {
    const { status, head, body } = await send('OPTIONS *')
    expect([status, body]).toEqual([200, ''])
    expect(head).toMatch(/^allow: GET, HEAD, POST, OPTIONS$/m)
    const answer = await h2.get('*', { ':method': 'OPTIONS' })
    expect(answer).toMatchObject({ status: 200, body: '' })
    expect(answer.headers['allow']).toBe('GET, HEAD, POST, OPTIONS')
  })

  it('is about the server: no other method has that target', async () => {
    for (const method of ['GET', 'POST', 'PROPFIND'])
      expect((await send(`${method} *`)).status).toBe(400)
  })
})

describe('content of a GET or HEAD', () => {
  it.each(['on.test', 'off.test', 'php.test'])(
    'is refused at %s, however it comes',
    async (host) => {
      for (const method of ['GET', 'HEAD']) {
        expect((await send(`${method} /`, host, { body: 'said' })).status).toBe(400)
        const fields = 'Transfer-Encoding: chunked\r\n'
        const chunked = await send(`${method} /`, host, {
          fields: `${fields}X: 1\r\n\r\n4\r\nsaid\r\n0\r\n`,
        })
        expect(chunked.status).toBe(400)
      }
    },
  )

  it('that is announced and empty changes nothing', async () => {
    const empty = 'Transfer-Encoding: chunked\r\n\r\n0\r\n'
    expect((await send('GET /x', 'on.test', { fields: empty })).body).toBe('GET ')
    expect((await send('GET /x', 'on.test', { fields: 'Content-Length: 0\r\n' })).body).toBe('GET ')
  })

  it('is refused over HTTP/2', async () => {
    expect((await h2.send('/x', 'said', { ':method': 'GET' })).status).toBe(400)
    expect((await h2.send('/x', '', { ':method': 'GET' })).status).toBe(200)
  })
})
