import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { writeCertificate } from '../support/certificates.ts'
import { get } from '../support/get.ts'
import { H2Client, type H2Answer } from '../support/h2-client.ts'
import { phpHost, startPhpSite, type PhpSite } from '../support/php-site.ts'
import { siteToml, startStaticWeb } from '../support/static-web.ts'
import { eventually, type WebProcess } from '../support/web-process.ts'

const run = promisify(execFile)
let web: WebProcess
let php: PhpSite
let client: H2Client

beforeAll(async () => {
  web = await startStaticWeb()
  php = await startPhpSite(web.directory)
  writeFileSync(
    join(php.root, 'echo.php'),
    `<?php header('Content-Type: application/json'); header('Proxy-Connection: close');
echo json_encode([$_SERVER['REQUEST_METHOD'], $_SERVER['SERVER_PROTOCOL'], $_SERVER['HTTPS'] ?? '',
  $_SERVER['HTTP_HOST'], $_SERVER['HTTP_COOKIE'] ?? '', md5(file_get_contents('php://input'))]);`,
  )
  mkdirSync(join(web.directory, 'state/sub'))
  mkdirSync(join(web.directory, 'state/.well-known/acme-challenge'), { recursive: true })
  writeFileSync(join(web.directory, 'state/.well-known/acme-challenge/token'), 'proof')
  writeFileSync(join(web.directory, 'state/missing.html'), '<p>nothing here</p>')
  web.writeHosts('p', phpHost(php, 'p.test', 'aliases = ["www.p.test"]'))
  const more = `hsts_max_age_secs = 600
redirect_https = true
error_pages = { "404" = "/missing.html" }
headers = { "X-Own" = "1", "Keep-Alive" = "x" }
`
  web.writeHosts('s', siteToml(web, 's.test', more + writeCertificate(web, 's', 's.test')))
  expect((await web.control('POST', '/reload')).body).toMatchObject({ virtual_hosts: 3 })
  client = await H2Client.open(web.sslPort, 'm.test')
})
afterAll(async () => {
  client.close()
  await php.stop()
  await web.remove()
})

const withClient = async <T>(host: string, use: (one: H2Client) => Promise<T>): Promise<T> => {
  const one = await H2Client.open(web.sslPort, host)
  try {
    return await use(one)
  } finally {
    one.close()
  }
}
const lasting = ({ headers }: { headers: H2Answer['headers'] }): Record<string, unknown> => {
  const kept: Record<string, unknown> = Object.fromEntries(Object.entries(headers))
  for (const name of ['date', 'age', 'cache-status', 'connection', 'x-cache']) delete kept[name]
  return kept
}

describe('HTTP/2 and HTTP/1', () => {
  it('give the same answers, whoever has filled the cache', async () => {
    const first = await client.get('/')
    expect(first).toMatchObject({ status: 200, body: '<p>a page</p>' })
    const hits = [await client.get('/'), await get(web.port, 'm.test')]
    for (const path of ['/', '/big.bin', '/none', '/sub', '/?q']) {
      const [one, other] = [await client.get(path), await get(web.port, 'm.test', path)]
      expect([path, one.status, one.body.length]).toEqual([path, other.status, other.body.length])
      expect(lasting(one)).toEqual(lasting(other))
    }
    // Each worker has its own first layer; over both protocols the page is soon a hit.
    await eventually('hits', async () => {
      hits.push(await client.get('/'), await get(web.port, 'm.test'))
      return hits.slice(-2).every(({ headers }) => headers['x-cache'] === 'HIT')
    })
    expect(lasting(hits.at(-1) as H2Answer)).toEqual(lasting(hits.at(-2) as H2Answer))
  })

  it('answer conditions, ranges and HEAD alike', async () => {
    const page = await client.get('/')
    const etag = String(page.headers['etag'])
    for (const headers of [{ 'if-none-match': etag }, { 'if-none-match': `"x", ${etag}` }]) {
      const answer = await client.get('/', headers)
      expect(answer).toMatchObject({ status: 304, body: '', code: 0 })
      expect(answer.headers['etag']).toBe(etag)
    }
    const head = await client.get('/', { ':method': 'HEAD' })
    expect(head).toMatchObject({ status: 200, body: '', headers: { 'content-length': '13' } })
    const part = await client.get('/big.bin', { range: 'bytes=5-9' })
    expect(part).toMatchObject({
      status: 206,
      body: 'bbbbb',
      headers: { 'content-range': 'bytes 5-9/20000000' },
    })
    expect((await client.get('/big.bin', { range: 'bytes=30000000-' })).status).toBe(416)
    expect((await client.get('/', { ':method': 'DELETE' })).status).toBe(405)
    expect((await client.get('/', { ':method': 'BREW' })).status).toBe(405)
    expect((await client.get('/', { ':method': 'TRACE' })).status).toBe(501)
  })

  it('stay apart from each other in nothing that a script sees but the protocol', async () => {
    await withClient('p.test', async (one) => {
      const fields = { ':authority': 'www.p.test', cookie: ['a=1', 'b=2'] }
      const answer = await one.send('/echo.php', 'x'.repeat(300_000), fields)
      expect(answer.status).toBe(200)
      expect(JSON.parse(answer.body)).toEqual([
        'POST',
        'HTTP/2.0',
        'on',
        'www.p.test',
        'a=1; b=2',
        createHash('md5').update('x'.repeat(300_000)).digest('hex'),
      ])
      expect(answer.headers['proxy-connection']).toBeUndefined()
    })
  })

  it('bypass the cache for a session, in whichever crumb its cookie came', async () => {
    await withClient('p.test', async (one) => {
      await one.get('/')
      await eventually('hit', async () => (await one.get('/')).headers['x-cache'] === 'HIT')
      const answer = await one.get('/', { cookie: ['theme=dark', 'PHPSESSID=abc'] })
      expect(answer.headers['x-cache']).not.toBe('HIT')
      expect((await one.get('/', { cookie: ['theme=dark'] })).headers['x-cache']).toBe('HIT')
    })
  })

  it('write the same log line but for the protocol', async () => {
    await client.get('/', { 'user-agent': 'h2-log' })
    await client.get('/?h2-log')
    const file = join(web.directory, 'log/web/access.log')
    await eventually('logged', () => readFileSync(file, 'latin1').includes('/?h2-log'))
    const lines = readFileSync(file, 'latin1').split('\n')
    expect(lines.find((line) => line.includes('"h2-log"'))).toMatch(
      /^127\.0\.0\.1 - - \[\S+ \+0000\] "GET \/ HTTP\/2\.0" 200 13 "-" "h2-log" m\.test HIT 0\.\d{3}$/,
    )
    expect(lines.find((line) => line.includes('/?h2-log'))).toMatch(
      /"GET \/\?h2-log HTTP\/2\.0" 200/,
    )
  })

  it('count together', async () => {
    const requests = async (): Promise<number> =>
      ((await web.control('GET', '/status')).body as { requests: number }).requests
    const before = await requests()
    for (let i = 0; i < 20; i++) await client.get('/')
    expect((await requests()) - before).toBeGreaterThanOrEqual(20)
  })
})

describe('a TLS-only site', () => {
  it('is told with HSTS over TLS, never over http, from the cache too', async () => {
    await withClient('s.test', async (one) => {
      for (let i = 0; i < 3; i++) {
        const { headers } = await one.get('/')
        expect(headers).toMatchObject({ 'strict-transport-security': 'max-age=600', 'x-own': '1' })
        expect(headers['keep-alive']).toBeUndefined()
      }
      expect(await one.get('/none')).toMatchObject({
        status: 404,
        body: '<p>nothing here</p>',
        headers: { 'strict-transport-security': 'max-age=600' },
      })
    })
    const redirect = await get(web.port, 's.test', '/a?b')
    expect(redirect).toMatchObject({
      status: 301,
      headers: { location: `https://s.test:${web.sslPort}/a?b` },
    })
    expect(redirect.headers['strict-transport-security']).toBeUndefined()
  })

  it('still answers challenges over http', async () => {
    const challenge = await get(web.port, 's.test', '/.well-known/acme-challenge/token')
    expect(challenge).toMatchObject({ status: 200, body: 'proof' })
    expect(challenge.headers['strict-transport-security']).toBeUndefined()
    for (const path of [
      '/.well-known/acme-challenge/../../',
      '/.well-known/acme-challenge%2f..%2f..%2f',
      '/.well-known/other',
    ]) {
      expect([path, (await get(web.port, 's.test', path)).status]).toEqual([path, 301])
    }
  })
})

describe('other clients', () => {
  const origin = (): string[] => [
    '--resolve',
    `m.test:${web.sslPort}:127.0.0.1`,
    `https://m.test:${web.sslPort}`,
  ]

  it('curl', async () => {
    const [flag = '', where = '', url = ''] = origin()
    const curl = (...more: string[]) =>
      run('curl', ['-skS', '--http2', '--max-time', '20', flag, where, ...more])
    const { stdout } = await curl('-w', '\n%{http_version} %{http_code}', `${url}/`)
    expect(stdout).toBe('<p>a page</p>\n2 200')
    const upload = join(web.directory, 'state/big.bin')
    const post = await curl('-w', '%{http_code}', '-o', '/dev/null', '-T', upload, `${url}/x`)
    expect(post.stdout).toBe('404')
    const old = await curl('--http1.1', '-w', '%{http_version}', '-o', '/dev/null', `${url}/`)
    expect(old.stdout).toBe('1.1')
  })

  it('Chromium', async () => {
    const profile = temporaryDirectory('berth-chromium-')
    const { stdout } = await run('chromium', [
      ...'--headless --no-sandbox --disable-gpu --disable-quic --no-first-run'.split(' '),
      ...'--disable-background-networking --disable-component-update --disable-sync'.split(' '),
      '--ignore-certificate-errors',
      '--host-resolver-rules=MAP m.test 127.0.0.1',
      `--user-data-dir=${profile}`,
      '--dump-dom',
      `https://m.test:${web.sslPort}/?chromium`,
    ])
    expect(stdout).toContain('<p>a page</p>')
    const file = join(web.directory, 'log/web/access.log')
    await eventually('logged', () =>
      /"GET \/\?chromium HTTP\/2\.0" 200/.test(readFileSync(file, 'latin1')),
    )
  })

  it('nghttp and h2load', async () => {
    const url = `https://127.0.0.1:${web.sslPort}/`
    const seen = await run('nghttp', ['-v', '-n', '-H', ':authority: m.test', url])
    expect(seen.stdout).toContain(':status: 200')
    const options = ['-n', '3000', '-c', '4', '-m', '32', '-H', ':authority: m.test', url]
    const { stdout } = await run('h2load', options, { timeout: 20_000 })
    expect(stdout).toContain('3000 done, 3000 succeeded, 0 failed, 0 errored, 0 timeout')
  })
})
