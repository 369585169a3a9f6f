import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeCertificate } from '../support/certificates.ts'
import { closeAll, connectionsPerWorker } from '../support/connections-per-worker.ts'
import { phpHost } from '../support/php-site.ts'
import { startWeb, type WebProcess } from '../support/web-process.ts'
import { directory, php, sharePhpSite } from '../support/shared-php-site.ts'

const run = promisify(execFile)

/** Sends bytes over a new connection, as plugins do, and prints what comes back. */
const SEND = `
[, $to, $bytes] = $argv;
$tls = stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false, 'SNI_enabled' => false]]);
$socket = stream_socket_client($to, $code, $error, 10, STREAM_CLIENT_CONNECT, $tls);
if (!$socket) { fwrite(STDERR, $error); exit(1); }
fwrite($socket, base64_decode($bytes));
stream_set_timeout($socket, 10);
echo stream_get_contents($socket);
`
/** Tags as Magento sends them, of all pages but one. */
const TAGGED = `if ($_SERVER['REQUEST_URI'] !== '/one') header('X-Magento-Tags: cat_p_1,store' . strtr($_SERVER['REQUEST_URI'], '/', '_'));`
/** The account that the document root belongs to, and another. */
const OWNER = 33
const OTHER = 1

let web: WebProcess
let groups: Awaited<ReturnType<typeof connectionsPerWorker>>
const NAMES = ['one', 'dir/a', 'dir/b']

sharePhpSite()
beforeAll(async () => {
  const script = join(php.root, 'index.php')
  writeFileSync(script, readFileSync(script, 'utf8').replace('<?php', `<?php ${TAGGED}`))
  mkdirSync(join(directory, 'state'))
  const certificate = writeCertificate({ directory }, 'secure', 'secure.test')
  const hosts = [
    `${phpHost(php, 'p.test', 'aliases = ["www.p.test"]')}[virtualhost.cache]\npurge_path = true\n`,
    phpHost(php, 'secure.test', `redirect_https = true\n${certificate}`),
    phpHost(php, 'q.test'),
    `${phpHost(php, 'off.test')}[virtualhost.cache]\nenable = false\n`,
  ]
  web = await startWeb({ workers: 2, more: hosts.join('') })
  groups = await connectionsPerWorker(web, 'p.test', 1)
})
afterAll(async () => {
  closeAll(groups)
  await web.remove()
})

interface Sender {
  uid?: number
  secure?: boolean
}
/** Sends a request's lines as a process of the uid; resolves with the status. */
const send = async (lines: readonly string[], { uid = OWNER, secure }: Sender = {}) => {
  const to = secure === true ? `tls://127.0.0.1:${web.sslPort}` : `tcp://127.0.0.1:${web.port}`
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`).toString('base64')
  const as = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']
  const { stdout } = await run('setpriv', [...as, '--', 'php', '-r', SEND, '--', to, bytes])
  return stdout
}
const statusOf = async (...call: Parameters<typeof send>): Promise<number> =>
  Number((await send(...call)).slice(9, 12))

let version = 0
/** Which of the pages at p.test are made anew by what is done. */
const purged = async (act: () => Promise<unknown>): Promise<string[]> => {
  const everywhere = async (name: string): Promise<string[]> => {
    const bodies: string[] = []
    for (const [one] of groups) bodies.push((await one?.get(`/${name}`))?.body ?? '')
    return bodies
  }
  expect((await web.management('POST', '/api/v1/cache/purge')).status).toBe(200)
  writeFileSync(join(directory, 'site/version'), `${++version}`)
  for (const name of NAMES) await everywhere(name)
  writeFileSync(join(directory, 'site/version'), `${++version}`)
  await act()
  const found: string[] = []
  for (const name of NAMES) {
    const bodies = await everywhere(name)
    const fresh = bodies.filter((body) => body.startsWith(`version ${version} `)).length
    expect([0, 2], name).toContain(fresh)
    if (fresh === 2) found.push(name)
  }
  return found
}
const token = (): string => readFileSync(join(web.directory, 'run/management.token'), 'utf8').trim()

describe('PURGE', () => {
  it.each<[string, string[], string[]]>([
    ['W3 Total Cache', ['PURGE /one HTTP/1.1', 'Host: p.test'], ['one']],
    ['with a query', ['PURGE /one?x=1 HTTP/1.1', 'Host: p.test'], ['one']],
    [
      'Proxy Cache Purge',
      ['PURGE /dir/a HTTP/1.1', 'Host: p.test', 'X-Purge-Method: default'],
      ['dir/a'],
    ],
    [
      'Proxy Cache Purge, all',
      ['PURGE /.* HTTP/1.1', 'Host: p.test', 'X-Purge-Method: regex'],
      NAMES,
    ],
    [
      'Proxy Cache Purge, below a path',
      ['PURGE /dir/.* HTTP/1.1', 'Host: p.test', 'X-Purge-Method: regex'],
      ['dir/a', 'dir/b'],
    ],
    ['a prefix without a word', ['PURGE /o.* HTTP/1.1', 'Host: p.test:80'], ['one']],
    [
      'an expression, which is not run',
      ['PURGE /(one|two)$ HTTP/1.1', 'Host: p.test', 'X-Purge-Method: regex'],
      NAMES,
    ],
    ['another name of the site', ['PURGE /one HTTP/1.1', 'Host: www.p.test'], ['one']],
    ['MediaWiki', ['PURGE http://p.test/one HTTP/1.1', 'Host: p.test'], ['one']],
    ['nginx-helper', ['PURGE /purgeall HTTP/1.1', 'Host: p.test'], NAMES],
    ['a page that is not there', ['PURGE /nothing HTTP/1.1', 'Host: p.test'], []],
    ['another site', ['PURGE /.* HTTP/1.1', 'Host: q.test'], []],
  ])('%s', async (_name, lines, expected) => {
    const found = await purged(async () => {
      const answer = await send(lines)
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
      expect(answer).toMatch(/Purged\.\n$/)
    })
    expect(found).toEqual(expected)
  })

  it('by tags, as Magento does, and all where the pattern is no list of them', async () => {
    const lines = (pattern: string): string[] => [
      ...['PURGE / HTTP/1.1', 'Host: p.test', `X-Magento-Tags-Pattern: ${pattern}`],
    ]
    expect(await purged(() => send(lines('((^|,)cat_p_1(,|$))')))).toEqual(['dir/a', 'dir/b'])
    expect(await purged(() => send(lines('((^|,)x(,|$))|((^|,)store_dir_b(,|$))')))).toEqual([
      'dir/b',
    ])
    expect(await purged(() => send(lines('((^|,)cat_p_2(,|$))')))).toEqual([])
    expect(await purged(() => send(lines('.*')))).toEqual(NAMES)
    const others = await purged(async () =>
      expect(await statusOf(lines('.*'), { uid: OTHER })).toBe(405),
    )
    expect(others).toEqual([])
    const page = await send(['GET /dir/a HTTP/1.1', 'Host: p.test'])
    expect(page).toMatch(/^HTTP\/1\.1 200 /)
    expect(page).not.toMatch(/x-magento-tags/i)
  })

  it('virtualhost.cache.purge_path: by GET of a path below /purge/, for the same alone', async () => {
    const lines = (path: string, host = 'p.test') => [`GET ${path} HTTP/1.1`, `Host: ${host}`]
    expect(await purged(() => send(lines('/purge/one')))).toEqual(['one'])
    expect(await purged(() => send(lines('/purge/dir/a?x=1', 'www.p.test')))).toEqual(['dir/a'])
    expect(await purged(() => send(lines('/purge/dir/.*')))).toEqual(['dir/a', 'dir/b'])
    const refused = await purged(async () => {
      for (const sender of [{ uid: OTHER }, { uid: 0 }])
        expect(await statusOf(lines('/purge/one'), sender)).toBe(405)
      const forwarded = [...lines('/purge/one'), 'X-Forwarded-For: 127.0.0.1']
      expect(await statusOf(forwarded)).toBe(405)
      // Only as it is written, and with this method.
      expect(
        await statusOf(['POST /purge/one HTTP/1.1', 'Host: p.test', 'Content-Length: 0']),
      ).toBe(200)
      // Another site has not asked for it.
      const page = await send(lines('/purge/one', 'q.test'))
      expect(page).toContain('path /purge/one')
    })
    expect(refused).toEqual([])
  })

  it('over TLS without a server name', async () => {
    const lines = ['PURGE /one HTTP/1.1', 'Host: p.test']
    expect(await purged(() => send(lines, { secure: true }))).toEqual(['one'])
  })

  it('before the redirect to https', async () => {
    expect(await statusOf(['GET / HTTP/1.1', 'Host: secure.test'])).toBe(301)
    const lines = ['PURGE / HTTP/1.1', 'Host: secure.test', 'X-Purge-Method: default']
    expect(await statusOf(lines)).toBe(200)
  })

  it('of nobody else', async () => {
    const lines = ['PURGE /.* HTTP/1.1', 'Host: p.test']
    const forged = ['X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1', 'Via: 1.1 x']
    const refused = async (...call: Parameters<typeof send>): Promise<void> =>
      expect(await statusOf(...call), JSON.stringify(call)).toBe(405)
    const found = await purged(async () => {
      await refused(lines, { uid: OTHER })
      await refused(lines, { uid: 0 })
      await refused(lines, { uid: OTHER, secure: true })
      for (const field of forged) {
        await refused([...lines, field], { uid: OTHER })
        // What comes through a front server says nothing of who asks.
        await refused([...lines, field])
      }
      for (const word of ['Bearer x', `Bearer ${token()}x`, `Basic ${token()}`, 'Bearer'])
        await refused([...lines, `Authorization: ${word}`], { uid: OTHER })
    })
    expect(found).toEqual([])
  })

  it('with the token of the management API', async () => {
    const lines = ['PURGE /one HTTP/1.1', 'Host: p.test', `Authorization: Bearer ${token()}`]
    expect(await purged(() => send(lines, { uid: 0 }))).toEqual(['one'])
  })

  it('over HTTP/2', async () => {
    const ask = (authorization: string) =>
      new Promise<unknown>((resolve, reject) => {
        const url = `https://127.0.0.1:${web.sslPort}`
        const session = connectHttp2(url, { rejectUnauthorized: false })
        session.on('error', reject)
        const fields = { ':method': 'PURGE', ':path': '/one', ':authority': 'p.test' }
        const stream = session.request({ ...fields, authorization })
        stream.on('error', reject)
        stream.on('response', (headers) => {
          resolve(headers[':status'])
          session.close()
        })
        stream.resume().end()
      })
    expect(await purged(() => ask(`Bearer ${token()}`))).toEqual(['one'])
    expect(await purged(async () => expect(await ask('Bearer x')).toBe(405))).toEqual([])
  })

  it('is a method like any other where the cache is off', async () => {
    const answer = await send(['PURGE /some HTTP/1.1', 'Host: off.test'], { uid: OTHER })
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain('path /some')
  })
})
