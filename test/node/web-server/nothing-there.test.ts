import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { get, KeptConnection } from './support/get.ts'
import { RawClient } from './support/raw-client.ts'
import { siteToml } from './support/static-web.ts'
import { eventually, startWeb, type WebProcess } from './support/web-process.ts'

let web: WebProcess
const PLAIN = 'htaccess = false'

beforeAll(async () => {
  web = await startWeb({ workers: 1 })
  mkdirSync(join(web.directory, 'state/there'))
  writeFileSync(join(web.directory, 'state/own.html'), 'our own page')
  writeFileSync(join(web.directory, 'state/.secret'), 'hidden')
  web.writeHosts(
    'main',
    [
      siteToml(web, 'plain.test', PLAIN),
      siteToml(web, 'uncached.test', `${PLAIN}\n[virtualhost.cache]\nenable = false`),
      siteToml(web, 'ruled.test', 'htaccess = true'),
      siteToml(web, 'own.test', `${PLAIN}\nerror_pages = { 404 = "/own.html" }`),
      siteToml(web, 'closed.test', `${PLAIN}\nsuspended = true`),
    ].join('\n'),
  )
  expect(await web.control('POST', '/reload')).toMatchObject({ status: 200 })
})
afterAll(() => web.remove())

/** What is answered, without what changes by itself. `cold`: who wants the connection closed is not answered the fast path. */
const ask = async (host: string, path: string, cold = false) => {
  const connection = new KeptConnection(web.port, host)
  const { status, headers, body } = await (cold ? get(web.port, host, path) : connection.get(path))
  connection.close()
  const { date: _date, connection: _connection, ...lasting } = headers
  return { status, headers: lasting, body }
}

it.each([
  ['nobody.test', '/'],
  ['nobody.test', '/a?b=c'],
  ['nobody.test', '/.well-known/acme-challenge/token'],
  ['plain.test', '/none'],
  ['plain.test', '/none/deeper'],
  ['plain.test', '/there/none'],
  ['plain.test', '/.secret'],
  ['plain.test', '/.env'],
  ['plain.test', '/wp-login.php'],
  ['plain.test', '/none?author=1'],
  ['plain.test', '/%6eone'],
  ['uncached.test', '/none'],
  ['ruled.test', '/none'],
  ['ruled.test', '/none/deeper'],
  ['own.test', '/none'],
  ['closed.test', '/none'],
])('%s%s is answered the same way again and again', async (host, path) => {
  const cold = await ask(host, path, true)
  for (let times = 0; times < 4; times++) expect(await ask(host, path)).toEqual(cold)
  // Another path of the site, after the answer to this one.
  expect(await ask(host, `${path}${path.includes('?') ? '' : 'x'}`)).toMatchObject({
    status: cold.status,
    body: cold.body,
  })
})

it('answers HEAD without a body and writes every answer into the access log', async () => {
  const heads: string[] = []
  const size = Number((await ask('plain.test', '/for-head')).headers['content-length'])
  for (const host of ['plain.test', 'nobody.test'])
    for (let times = 0; times < 3; times++) {
      const client = new RawClient(web.port)
      client.write(`HEAD /for-head-${times} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      await client.until((text) => text.includes('\r\n\r\n'))
      await new Promise((resolve) => setTimeout(resolve, 20))
      client.destroy()
      heads.push(client.text)
    }
  for (const head of heads) {
    expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n[^]*\r\n\r\n$/)
    expect(head).toMatch(/content-length: \d{3}\r\n/)
  }
  expect(heads[2]).toContain(`content-length: ${size}\r\n`)
  const log = (): string => readFileSync(join(web.directory, 'log/web/access.log'), 'latin1')
  await eventually('lines', () =>
    log().includes('"HEAD /for-head-2 HTTP/1.1" 404 0 "-" "-" nobody.test -'),
  )
  expect(log()).toMatch(/"GET \/for-head HTTP\/1\.1" 404 \d{3} "-" "-" plain\.test MISS/)
  expect(log().split('"HEAD /for-head-').length).toBe(7)
})

it('sees at once what is put there, and rules within two seconds', async () => {
  for (const host of ['plain.test', 'ruled.test'])
    for (let times = 0; times < 3; times++) expect((await ask(host, '/soon.html')).status).toBe(404)
  writeFileSync(join(web.directory, 'state/soon.html'), 'now')
  for (const host of ['plain.test', 'ruled.test'])
    expect(await ask(host, '/soon.html')).toMatchObject({ status: 200, body: 'now' })
  rmSync(join(web.directory, 'state/soon.html'))

  expect((await ask('ruled.test', '/old')).status).toBe(404)
  writeFileSync(join(web.directory, 'state/.htaccess'), 'Redirect /old /new')
  await eventually(
    'the redirect',
    async () => (await ask('ruled.test', '/old')).status === 302,
    2000,
  )
  for (let times = 0; times < 3; times++) expect((await ask('ruled.test', '/old')).status).toBe(302)
  rmSync(join(web.directory, 'state/.htaccess'))
})

it('leaves a site that was closed nothing', async () => {
  for (let times = 0; times < 3; times++) expect((await ask('plain.test', '/x')).status).toBe(404)
  web.writeHosts('main', siteToml(web, 'plain.test', `${PLAIN}\nsuspended = true`))
  expect((await web.control('POST', '/reload')).status).toBe(200)
  expect((await ask('plain.test', '/x')).status).toBe(503)
  expect((await ask('own.test', '/x')).status).toBe(404)
})
