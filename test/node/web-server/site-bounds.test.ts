import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { get, KeptConnection } from './support/get.ts'
import { phpHost, startPhpSite, type PhpSite } from './support/php-site.ts'
import { eventually, startWeb, type WebProcess } from './support/web-process.ts'

let web: WebProcess
let php: PhpSite
let directories = 0

/** Asks for the header line of a length, or for none. */
const SCRIPT = `<?php
header('Content-Type: text/plain');
if (isset($_GET['line'])) header('X-Long: ' . str_repeat('v', (int) $_GET['line'] - 8));
for ($i = 0; $i < (int) ($_GET['fields'] ?? 0); $i++) header("X-LiteSpeed-Own-$i: 1");
if (isset($_GET['blanks'])) header('Cache-Control: a' . str_repeat(' ', (int) $_GET['blanks']) . 'b');
echo 'fine';`

const host = (domain: string): string => `
[[virtualhost]]
domain = "${domain}"
root = "${web.directory}/${domain}"
htaccess = true
[virtualhost.php]
enable = false
`

beforeAll(async () => {
  web = await startWeb({ workers: 1 })
  php = await startPhpSite(web.directory)
  const script = join(php.root, 'index.php')
  writeFileSync(script, SCRIPT)
  for (const domain of ['own.test', 'neighbour.test']) {
    mkdirSync(join(web.directory, domain))
    writeFileSync(join(web.directory, domain, 'index.html'), domain)
  }
  const uncached = '[virtualhost.cache]\nenable = false'
  const hosts = [
    host('own.test'),
    host('neighbour.test'),
    `${phpHost(php, 'php.test')}\n${uncached}`,
  ]
  web.writeHosts('main', hosts.join('\n'))
  expect(await web.control('POST', '/reload')).toMatchObject({ status: 200 })
})
afterAll(async () => {
  await php.stop()
  await web.remove()
})

/** The answer under rules, in a directory of their own, and the longest wait of a neighbour's meanwhile. */
const under = async (rules: string, path = 'page.html', fields = '') => {
  const name = `d${++directories}`
  const directory = join(web.directory, 'own.test', name)
  mkdirSync(directory)
  writeFileSync(join(directory, 'page.html'), 'a page')
  writeFileSync(join(directory, '.htaccess'), rules)
  return held('own.test', `/${name}/${path}`, fields)
}

const held = async (domain: string, path: string, fields = '') => {
  const neighbour = new KeptConnection(web.port, 'neighbour.test')
  await neighbour.get()
  let asking = true
  let longestMs = 0
  const wait = async (): Promise<void> => {
    while (asking) {
      const startedMs = performance.now()
      expect((await neighbour.get()).body).toBe('neighbour.test')
      longestMs = Math.max(longestMs, performance.now() - startedMs)
    }
  }
  const waiting = wait()
  const answer = await get(web.port, domain, path, fields)
  asking = false
  await waiting
  neighbour.close()
  return { ...answer, longestMs }
}

/** Far more than a bounded request takes on a machine with other work, and less than any of them took without bounds. */
const HELD_MS = 500

const LINE = '# a comment of a line\n'
const tooLong = 'longer than 2048 characters'

describe('rules beyond their bounds close their own directory', () => {
  it.each([
    ['a file of 128 KiB', LINE.repeat(6000), 'larger than 128 KiB'],
    ['a line of 8 KiB', `Redirect /a /${'b'.repeat(8200)}`, 'line 1 is longer than 8192'],
    ['a joined line', `# x\nRedirect /a \\\n${'b\\\n'.repeat(8200)}`, 'line 2 is longer than 8192'],
    ['a pattern', `RewriteEngine On\nRewriteRule ${'a'.repeat(2049)} /b`, tooLong],
    [
      'a pattern of options',
      `RewriteEngine On\nRewriteRule (?:${'^|'.repeat(3500)}.)*X /b`,
      tooLong,
    ],
    ['a condition', `RewriteEngine On\nRewriteCond %{HTTP_HOST} ${'a'.repeat(2049)}`, tooLong],
    ['a target', `RewriteEngine On\nRewriteRule ^a$ /${'b'.repeat(2048)}`, tooLong],
    ['a target of braces', `RewriteEngine On\nRewriteRule ^x$ /${'%{'.repeat(3900)}`, tooLong],
    ['a section', `<a${' '.repeat(8000)}`, 'a section must end'],
  ])('%s', async (_what, rules, reason) => {
    const { status, longestMs } = await under(rules)
    expect(status).toBe(500)
    expect(longestMs).toBeLessThan(HELD_MS)
    const file = `d${directories}/.htaccess`
    const told = (): boolean =>
      web
        .output()
        .split('\n')
        .some((line) => line.includes(file) && line.includes('own.test') && line.includes(reason))
    await eventually(`the log tells why ${file} counts for nothing`, told)
    expect((await get(web.port, 'own.test')).body).toBe('own.test')
  })
})

describe('rules that cost too much within their bounds hold up no neighbour', () => {
  const path = 'a'.repeat(400)
  it.each([
    ['options', `(?:${'^|'.repeat(900)}.)*X`],
    ['places', `(?:${'\\B'.repeat(900)}x|.)*X`],
    ['groups', `(?:${'()'.repeat(900)}|.)*X`],
    ['captures', `${'()'.repeat(900)}(?:(?>.))*X`],
  ])('%s', async (_what, pattern) => {
    const { status, longestMs } = await under(`RewriteEngine On\nRewriteRule ${pattern} /b`, path)
    expect(status).toBe(500)
    expect(longestMs).toBeLessThan(HELD_MS)
  })

  it('a query that grows with each round', async () => {
    const rules = `RewriteEngine On\nRewriteRule ^ page.html?${'q'.repeat(1900)} [QSA,N]`
    const { status, longestMs } = await under(rules)
    expect(status).toBe(500)
    expect(longestMs).toBeLessThan(HELD_MS)
  })

  it('headers that fill in or repeat what is long', async () => {
    const long = `SetEnv LONG ${'l'.repeat(8000)}\n`
    const filled = await under(`${long}Header set X-A "${'%{LONG}e'.repeat(200)}"`)
    expect(filled.status).toBe(500)
    expect(filled.longestMs).toBeLessThan(HELD_MS)
    const edited = `Header set X-A "${'a'.repeat(2000)}"\nHeader edit* X-A ^(.*)$ "${'$1'.repeat(900)}"`
    const repeated = await under(edited)
    expect(repeated.status).toBe(500)
    expect(repeated.longestMs).toBeLessThan(HELD_MS)
    await eventually('it is in the log', () =>
      web.output().includes('header rules take too many steps'),
    )
    const usual = await under('Header set X-A "a%{NONE}e"\nHeader edit X-A a(.*) b$1')
    expect([usual.status, usual.headers['x-a']]).toEqual([200, 'b(null)'])
  })
})

describe('header lines of scripts', () => {
  it('may be 16 KiB long, and hold blanks', async () => {
    const { status, headers } = await get(web.port, 'php.test', '/?line=16384')
    expect([status, headers['x-long']?.length]).toEqual([200, 16_384 - 8])
    const blanks = await held('php.test', '/?blanks=16000')
    expect(blanks.status).toBe(200)
    expect(blanks.longestMs).toBeLessThan(HELD_MS)
  })

  it.each(['line=16385', 'line=60000', 'blanks=60000'])('are refused at %s', async (query) => {
    const { status, longestMs } = await held('php.test', `/?${query}`)
    expect(status).toBe(502)
    expect(longestMs).toBeLessThan(HELD_MS)
    const line = query.startsWith('line') ? 'X-Long' : 'Cache-Control'
    await eventually('the log names the line', () =>
      web.output().includes(`a header line of more than 16 KiB: ${line}`),
    )
    // The same PHP goes on with the next.
    expect((await get(web.port, 'php.test', '/')).body).toBe('fine')
  })

  it('are 500 at most', async () => {
    const few = await held('php.test', '/?fields=400')
    expect([few.status, few.headers['x-litespeed-own-1']]).toEqual([200, undefined])
    const { status, longestMs } = await held('php.test', '/?fields=6000')
    expect(status).toBe(502)
    expect(longestMs).toBeLessThan(HELD_MS)
    await eventually('the log tells why', () => web.output().includes('more than 500 header lines'))
    expect((await get(web.port, 'php.test', '/')).body).toBe('fine')
  })
})
