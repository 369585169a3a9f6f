import { once } from 'node:events'
import { chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { VIRTUAL_HOST_SCHEMA } from '#handlers/domain/config/schema.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { proxyToml, serveHosts, startApp, type RunningApp } from '../proxy/support/proxied-web.ts'
import { writeCertificate } from './support/certificates.ts'
import { get } from './support/get.ts'
import { connectH2Socket, H2Client } from './support/h2-client.ts'
import { startPhpSite, type PhpSite } from './support/php-site.ts'
import { eventually, startWeb, type WebProcess } from './support/web-process.ts'

const OWNER = 64_341
const HERE = 'test/node/web-server/vhost-keys.test.ts'
const POOL = 'test/node/php-modes/pool-settings.test.ts'
const WRITTEN = 'test/node/php-modes/instance.test.ts'
const PROXY = 'test/node/proxy'
/** Keys whose test stands elsewhere; all others have theirs here, those of the cache in `test/node/cache-keys`. */
const ELSEWHERE: Record<string, string> = {
  guard: 'test/node/sites/guard.test.ts',
  listing: 'test/node/sites/listing.test.ts',
  default_host: 'test/node/web-server/processes/names-and-limits.test.ts',
  'proxy.except': 'test/node/proxy/rules.test.ts',
  backends: `${PROXY}/backends.test.ts`,
  // Whose PHP a host has, and with which settings, is the agent's doing.
  username: WRITTEN,
  'php.mode': WRITTEN,
  'php.version': 'test/node/php-modes/php-keys.test.ts',
  'php.max_children': WRITTEN,
  'php.memory_limit': WRITTEN,
  'php.ini': POOL,
  'proxy.verify_tls': `${PROXY}/proxy.test.ts`,
  'proxy.connect_timeout_secs': `${PROXY}/faults.test.ts`,
  'proxy.upstreams': `${PROXY}/upstreams.test.ts`,
  'proxy.back_off_secs': `${PROXY}/upstreams.test.ts`,
  'proxy.health_path': `${PROXY}/upstreams.test.ts`,
  'proxy.health_interval_secs': `${PROXY}/upstreams.test.ts`,
  'proxy.reach': 'test/attack/proxy/proxy-reach.test.ts',
  'proxy.channel': 'test/fronts/support/front-pair.ts',
  'proxy.replace_prefix': `${PROXY}/replace-prefix.test.ts`,
}

let web: WebProcess
let php: PhpSite
let phpPort: number
let app: RunningApp
let tree: string
beforeAll(async () => {
  web = await startWeb({ workers: 1 })
  ;[phpPort = 0] = await freePorts(1)
  php = await startPhpSite(web.directory, phpPort)
  app = await startApp((message, out) => out.end(`app ${message.headers.host} ${message.url}`))
  tree = join(web.directory, 'home/tree')
  mkdirSync(join(tree, 'sub'), { recursive: true })
  for (const [name, text] of [
    ['index.html', 'the index'],
    ['other.html', 'another index'],
    ['lost.html', 'own not found'],
    ['sub/page.html', 'a page'],
    ['.htaccess', 'Redirect 302 /moved http://elsewhere.test/\nNoSuchDirective on\n'],
  ] as const)
    writeFileSync(join(tree, name), text)
})
afterAll(async () => {
  await app?.close()
  await php?.stop()
  await web?.remove()
})

/** Serves one virtual host, `v.test`, with these lines; `php`: lines of `[virtualhost.php]`. */
const serve = (lines: string, phpLines = 'enable = false', root = tree): Promise<void> =>
  serveHosts(
    web,
    'v',
    `[[virtualhost]]\ndomain = "v.test"\nroot = "${root}"\n${lines}\n[virtualhost.php]\n${phpLines}\n[virtualhost.cache]\nenable = false\n`,
  )
const ask = (path = '/', fields = '') => get(web.port, 'v.test', path, fields)
const status = async (path = '/'): Promise<number> => (await ask(path)).status

describe('[[virtualhost]]', () => {
  test('domain, aliases: the names it answers to', async () => {
    await serve('')
    expect((await get(web.port, 'w.test')).status).toBe(404)
    expect((await ask()).body).toBe('the index')
    await serve('aliases = ["w.test"]')
    expect((await get(web.port, 'w.test')).body).toBe('the index')
  })

  test('root: where its files lie', async () => {
    await serve('', undefined, join(tree, 'sub'))
    expect((await ask('/page.html')).body).toBe('a page')
    expect(await status('/sub/page.html')).toBe(404)
  })

  test('index: what answers a directory, in this order', async () => {
    await serve('index = ["none.html", "other.html", "index.html"]')
    expect((await ask()).body).toBe('another index')
    await serve('index = ["none.html"]')
    expect(await status()).toBe(404)
  })

  test('uid: files of others are not there', async () => {
    chownSync(join(tree, 'other.html'), OWNER, OWNER)
    await serve(`uid = ${OWNER}`)
    expect([await status('/index.html'), await status('/other.html')]).toEqual([404, 200])
    await serve('')
    expect([await status('/index.html'), await status('/other.html')]).toEqual([200, 200])
  })

  test('home: links inside it are followed', async () => {
    symlinkSync('../index.html', join(tree, 'sub/up.html'))
    await serve('', undefined, join(tree, 'sub'))
    expect(await status('/up.html')).toBe(404)
    await serve(`home = "${tree}"`, undefined, join(tree, 'sub'))
    expect(await status('/up.html')).toBe(200)
    rmSync(join(tree, 'sub/up.html'))
  })

  test('suspended, over_bandwidth: closed with 503 and 509', async () => {
    await serve('suspended = true')
    expect(await ask()).toMatchObject({ status: 503, body: expect.stringContaining('suspended') })
    await serve('over_bandwidth = true')
    expect(await status()).toBe(509)
    await serve('suspended = false\nover_bandwidth = false')
    expect(await status()).toBe(200)
  })

  test('redirect_https, hsts_max_age_secs: http leads to https, which asks to come back so', async () => {
    const certificate = writeCertificate(web, 'r', 'v.test')
    await serve(`redirect_https = true\nhsts_max_age_secs = 1234\n${certificate}`)
    expect((await ask('/x')).headers['location']).toBe(`https://v.test:${web.sslPort}/x`)
    const secure = await H2Client.open(web.sslPort, 'v.test')
    const field = 'strict-transport-security'
    expect((await secure.get('/')).headers[field]).toBe('max-age=1234')
    await serve('')
    expect((await secure.get('/')).headers).not.toHaveProperty(field)
    secure.close()
    expect(await status()).toBe(200)
  })

  test('ssl_certificate, ssl_certificate_key: what the handshake shows', async () => {
    const subject = async (): Promise<string> => {
      const socket = await connectH2Socket(web.sslPort, 'v.test')
      const { CN } = socket.getPeerCertificate().subject
      socket.destroy()
      return String(CN)
    }
    expect(await subject()).toBe('localhost')
    await serve(writeCertificate(web, 'v', 'shown.test'))
    expect(await subject()).toBe('shown.test')
    // The key of another certificate is refused, so it is looked at.
    const lines = writeCertificate(web, 'v2', 'other.test').replace('v2.key', 'v.key')
    await expect(serve(lines)).rejects.toThrow(/certificate of v\.test/)
  })

  test('error_pages, headers: the site has its own', async () => {
    await serve('error_pages = { 404 = "/lost.html" }\nheaders = { X-Own = "yes", Server = "no" }')
    const answer = await ask('/nothing')
    expect(answer).toMatchObject({
      status: 404,
      body: 'own not found',
      headers: { 'x-own': 'yes' },
    })
    expect((await ask()).headers).toMatchObject({ 'x-own': 'yes', server: 'Berth' })
    await serve('')
    expect((await ask('/nothing')).body).not.toContain('own not found')
  })

  test('rewrites: one address stands for another', async () => {
    await serve(
      'rewrites = [{ pattern = "^/old/(.*)$", target = "/sub/$1" }, { pattern = "^/gone$", target = "/new", flags = "R=301,L" }]',
    )
    expect((await ask('/old/page.html')).body).toBe('a page')
    expect(await ask('/gone')).toMatchObject({
      status: 301,
      headers: { location: expect.stringMatching(/\/new$/) },
    })
  })

  test('rewrites, conditions: a rule for some requests', async () => {
    await serve(
      'rewrites = [{ pattern = "^/old$", target = "/sub/page.html", conditions = ["%{QUERY_STRING} yes"] }]',
    )
    expect((await ask('/old?yes')).body).toBe('a page')
    expect(await status('/old?no')).toBe(404)
  })

  test('rules: directives of the host, before those of its files and without them', async () => {
    const rules =
      "rules = '''\nRedirect 303 /elsewhere /sub/page.html\nHeader always set X-Rule yes\n'''"
    await serve(rules)
    expect(await ask('/elsewhere')).toMatchObject({ status: 303, headers: { 'x-rule': 'yes' } })
    expect(await status('/moved')).toBe(404)
    await serve(`${rules}\nhtaccess = true`)
    expect([await status('/elsewhere'), await status('/moved')]).toEqual([303, 302])
    await serve('')
    expect(await status('/elsewhere')).toBe(404)
  })

  test('folders: files that lie elsewhere, and those of the root no more', async () => {
    const elsewhere = join(web.directory, 'home/elsewhere')
    mkdirSync(join(elsewhere, 'in'), { recursive: true })
    mkdirSync(join(tree, 'media'), { recursive: true })
    writeFileSync(join(tree, 'media/hidden.txt'), 'of the root')
    writeFileSync(join(tree, 'media/.htaccess'), 'Redirect 302 /media/one.txt http://no.test/\n')
    writeFileSync(join(elsewhere, 'one.txt'), 'one')
    writeFileSync(join(elsewhere, 'in/index.html'), 'inside')
    writeFileSync(join(elsewhere, 'in/.htaccess'), 'Header set X-In yes\n')
    symlinkSync('../tree/other.html', join(elsewhere, 'out.html'))
    await serve(
      `folders = { "/media" = "${elsewhere}", "/one" = "${elsewhere}/one.txt" }\nhtaccess = true`,
    )
    expect((await ask('/media/one.txt')).body).toBe('one')
    expect((await ask('/one')).body).toBe('one')
    expect(await ask('/media/in/')).toMatchObject({ body: 'inside', headers: { 'x-in': 'yes' } })
    expect((await ask('/media')).headers['location']).toMatch(/\/media\/$/)
    expect([await status('/media/hidden.txt'), await status('/mediaone.txt')]).toEqual([404, 404])
    // Rules above and beside it, links that lead out, and the way up are no way in or out.
    expect([await status('/media/out.html'), await status('/moved')]).toEqual([404, 302])
    expect((await ask('/media/../index.html')).body).toBe('the index')
    await expect(serve(`folders = { "/media" = "/srv" }\nhome = "${tree}"`)).rejects.toThrow(
      /must lie inside home/,
    )
    rmSync(join(tree, 'media'), { recursive: true })
  })

  test('texts: answers of rules', async () => {
    const rules =
      'rewrites = [{ pattern = "^/health$", target = "text://health" }, { pattern = "^/tea$", target = "text://pot" }]'
    const host = `[[virtualhost]]\ndomain = "v.test"\nroot = "${tree}"\n${rules}\n`
    const texts =
      '[virtualhost.texts.health]\nbody = "ok\\n"\n[virtualhost.texts.pot]\nstatus = 418\ntype = "text/html"\nbody = "<b>short</b>"\n'
    await serveHosts(web, 'v', `${host}[virtualhost.php]\nenable = false\n${texts}`)
    expect(await ask('/health')).toMatchObject({
      ...{ status: 200, body: 'ok\n' },
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
    expect(await ask('/tea')).toMatchObject({ status: 418, body: '<b>short</b>' })
    await expect(serve(rules)).rejects.toThrow(/with which a rule answers/)
    // An .htaccess has no such words: there it is an address as any other.
    writeFileSync(join(tree, 'sub/.htaccess'), 'RewriteEngine On\nRewriteRule ^t$ text://health\n')
    await serveHosts(
      web,
      'v',
      `${host}htaccess = true\n[virtualhost.php]\nenable = false\n${texts}`,
    )
    expect((await ask('/sub/t')).body).not.toContain('ok')
    rmSync(join(tree, 'sub/.htaccess'))
  })

  test('htaccess, htaccess_unknown: whether its rules count, and what an unknown one does', async () => {
    await serve('')
    expect(await status('/moved')).toBe(404)
    await serve('htaccess = true')
    expect([await status('/moved'), await status()]).toEqual([302, 200])
    await serve('htaccess = true\nhtaccess_unknown = "error"')
    expect(await status()).toBe(500)
  })
})

describe('[virtualhost.php]', () => {
  test('enable, socket: who runs scripts, if anybody', async () => {
    writeFileSync(join(php.root, 'who.php'), '<?php echo "ran";')
    const socket = `socket = "${php.socket}"`
    await serve('', `enable = true\n${socket}`, php.root)
    expect((await ask('/who.php')).body).toBe('ran')
    await serve('', `enable = false\n${socket}`, php.root)
    expect(await status('/who.php')).toBe(404)
    await serve('', `socket = "${php.socket}.none"`, php.root)
    expect(await status('/who.php')).toBeGreaterThanOrEqual(502)
    await serve('', `socket = "tcp://127.0.0.1:${phpPort}"`, php.root)
    expect((await ask('/who.php')).body).toBe('ran')
    await expect(serve('', 'socket = "tcp://127.0.0.1"')).rejects.toThrow(/names no port of PHP/)
    const account = `username = "alice"\nuid = ${OWNER}`
    await expect(serve(account, 'socket = "tcp://127.0.0.1:9000"')).rejects.toThrow(
      /must be a path/,
    )
  })
})

describe('[virtualhost.proxy]', () => {
  const pass = (rule: string, port = app.port): Promise<void> =>
    serveHosts(web, 'v', proxyToml('v.test', port, rule, `root = "${tree}"`))

  test('upstream, paths: what is passed on, and where', async () => {
    await pass('')
    expect((await ask('/x?1')).body).toBe('app v.test /x?1')
    await pass('paths = ["/api"]')
    expect((await ask('/api/x?1')).body).toBe('app v.test /api/x?1')
    expect((await ask('/index.html')).body).toBe('the index')
  })

  test('preserve_host: whose name the application sees', async () => {
    await pass('preserve_host = false')
    expect((await ask('/h?1')).body).toBe(`app 127.0.0.1:${app.port} /h?1`)
  })

  test('keepalive_connections: how many wait for the next request', async () => {
    await pass('keepalive_connections = 0')
    let before = app.accepted()
    for (let i = 0; i < 3; i++) await ask(`/k?${i}`)
    expect(app.accepted() - before).toBe(3)
    await eventually('none is kept', () => app.sockets.size === 0)
    await pass('keepalive_connections = 2')
    before = app.accepted()
    for (let i = 0; i < 3; i++) await ask(`/k?${i}`)
    expect(app.accepted() - before).toBe(1)
    const held: (() => void)[] = []
    app.answer((_, out) => held.push(() => out.end('late')))
    const asked = Array.from({ length: 5 }, (_, i) => ask(`/held?${i}`))
    await eventually('all are there', () => held.length === 5)
    for (const answer of held) answer()
    await Promise.all(asked)
    await eventually('two are kept', () => app.sockets.size === 2)
    app.answer((message, out) => out.end(`app ${message.headers.host} ${message.url}`))
  })

  test('timeout_secs: how long it is waited for', async () => {
    app.answer(() => undefined)
    const took = async (path: string): Promise<[number, number]> => {
      const startMs = performance.now()
      const found = await status(path)
      return [found, performance.now() - startMs]
    }
    await pass('timeout_secs = 1')
    const [short, shortMs] = await took('/slow?1')
    await pass('timeout_secs = 4')
    const [long, longMs] = await took('/slow?2')
    expect([short, long]).toEqual([504, 504])
    expect(shortMs).toBeGreaterThan(900)
    expect(longMs).toBeGreaterThan(3900)
    // The default is a minute.
    expect(Math.max(shortMs, longMs)).toBeLessThan(30_000)
    app.answer((message, out) => out.end(`app ${message.headers.host} ${message.url}`))
  })

  test('websocket, websocket_idle_secs: whether there are any, and how long they may be silent', async () => {
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(sockets, 'listening')
    const { port } = sockets.address() as AddressInfo
    const open = (): WebSocket =>
      new WebSocket(`ws://127.0.0.1:${web.port}/`, { headers: { host: 'v.test' } })
    await pass('websocket = false', port)
    const [refused] = (await once(open(), 'error')) as [Error]
    expect(refused.message).toMatch(/response: \d/)
    await pass('websocket_idle_secs = 1', port)
    const socket = open()
    await once(socket, 'open')
    await once(socket, 'close')
    await pass('', port)
    const patient = open()
    await once(patient, 'open')
    patient.terminate()
    sockets.close()
  })
})

it('every key of [[virtualhost]] has a test that names it', () => {
  const { shape } = VIRTUAL_HOST_SCHEMA
  const keys = [
    ...Object.keys(shape).filter((key) => key !== 'cache'),
    ...Object.keys(shape.php.unwrap().shape).map((key) => `php.${key}`),
    ...Object.keys(shape.proxy.unwrap().shape).map((key) => `proxy.${key}`),
  ]
  for (const key of keys) {
    const file = ELSEWHERE[key] ?? HERE
    const text = readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8')
    const name = key.slice(key.lastIndexOf('.') + 1)
    const uses = [...text.matchAll(new RegExp(`(?<![\\w.])${name}\\b`, 'g'))].length
    expect(uses, `${key} in ${file}`).toBeGreaterThanOrEqual(1)
  }
})
