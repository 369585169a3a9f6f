import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { usualSiteSettings } from '#handlers/domain/site-settings/usual-settings.ts'
import { MAX_LISTED } from '#handlers/sites/listing/listings.ts'
import type { Site } from '#test/contract/sites/sites-harness.ts'
import { createMemoryPageCache } from '#test/support/setups/memory-page-cache.ts'
import { createTestHost } from './php-fpm.ts'

const host = createTestHost()
const at = (name: string): string => join(host.root, name)
const outside = join(host.directory, 'outside')

beforeAll(() => {
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.html'), 'NOT YOURS')
  host.plant({
    '/all/a.txt': 'four',
    '/all/Z.txt': 'z'.repeat(1500),
    '/all/sub/x.txt': 'x',
    '/all/run.php': '<?php',
    '/all/code.inc': 'source',
    '/all/.env': 'KEY',
    '/all/.git/config': 'x',
    '/all/save.php.bak': 'x',
    '/all/copy~': 'x',
    '/all/shut.txt': 'x',
    '/all/in/x.txt': 'x',
  })
})
afterAll(() => host.stop())

const site = (more: Partial<VirtualHostConfig> = {}): Site => host.site({ listing: 'on', ...more })
const namesIn = (html: string): string[] =>
  [...html.matchAll(/<a href="\.\/([^"]*)"/g)].map(([, name = '']) => decodeURIComponent(name))

it('shows sizes, times and a way up, and nothing that would be 404', async () => {
  symlinkSync('a.txt', at('all/link.txt'))
  symlinkSync('../all/sub', at('all/linked'))
  symlinkSync(join(outside, 'secret.html'), at('all/out.html'))
  symlinkSync(outside, at('all/outdir'))
  symlinkSync('/etc/passwd', at('all/passwd.txt'))
  symlinkSync('nowhere', at('all/broken'))
  symlinkSync('loop', at('all/loop'))
  linkSync(join(outside, 'secret.html'), at('all/hard.html'))
  writeFileSync(at('all/root.html'), 'of root')
  execFileSync('/usr/bin/mkfifo', ['--', at('all/fifo')])
  chmodSync(at('all/shut.txt'), 0o600)
  const {
    headers: _h,
    error_pages: _e,
    index: _i,
    listing: _l,
    php: _p,
    ...guard
  } = usualSiteSettings()
  const protectedIn = [{ path: '/all/in', realm: 'Inside', users: [] }]
  const { visit } = site({ guard: { ...guard, protected: protectedIn } })
  const answer = await visit('/all/')
  const html = await answer.text()
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  // Who runs the tests as root reads everything; a web server does not.
  const names = namesIn(html).filter((name) => name !== 'shut.txt')
  expect(names).toEqual(['linked/', 'sub/', 'Z.txt', 'a.txt', 'link.txt', 'run.php'])
  for (const name of names) expect((await visit(`/all/${name}`)).status, name).not.toBe(404)
  expect(html).toContain('<td>2026-01-02 03:04</td><td>1.5 kB</td>')
  expect(html).toContain('<a href="../">')
  const withoutPhp = { enable: false, version: null, mode: 'fpm', socket: null } as const
  expect(namesIn(await (await site({ php: withoutPhp }).visit('/all/')).text())).not.toContain(
    'run.php',
  )
})

it('is for the owner to allow, and for the rules of a folder where he lets them', async () => {
  host.plant({
    '/plain/x.txt': 'x',
    '/yes/.htaccess': 'Options +Indexes\n',
    '/yes/x.txt': 'x',
    '/no/.htaccess': 'Options -Indexes\n',
    '/no/x.txt': 'x',
  })
  const seen: Record<string, number[]> = {}
  for (const listing of ['off', 'rules', 'on'] as const) {
    const { visit } = site({ listing })
    seen[listing] = []
    for (const path of ['/plain/', '/yes/', '/no/']) seen[listing].push((await visit(path)).status)
  }
  expect(seen).toEqual({ off: [404, 403, 403], rules: [404, 200, 403], on: [200, 200, 403] })
  expect((await site().visit('/plain/', { method: 'POST' })).status).toBe(405)
  expect((await site().visit('/plain')).headers.get('location')).toBe('/plain/')
})

it('names are text, whatever is in them', async () => {
  const names = [
    '<script>alert(1)<\u2044script>',
    '"onmouseover="alert(1)',
    "'><img src=x onerror=alert(1)>",
    'javascript:alert(1)',
    '%2e%2e%2f',
    '?C=N;O=D#x',
    '\u202Etxt.exe',
    '&lt;b&gt;',
  ]
  host.plant({ '/odd<b>&"': null })
  host.plant({ '/odd<b>&"/x\\..\\x': 'nor here' })
  host.plant({ '/odd<b>&"/a\nb\u001b[2J': 'no address leads here' })
  for (const name of names) host.plant({ [`/odd<b>&"/${name}`]: 'x' })
  const { visit } = site()
  const answer = await visit(`/${encodeURIComponent('odd<b>&"')}/`)
  const html = await answer.text()
  expect(namesIn(html).toSorted()).toEqual(names.toSorted())
  expect(html).not.toMatch(/<(?:script|img|b>)|\son\w+="/i)
  expect([...html.matchAll(/href="(?!\.\/[^/":]*"|\.\.\/")/g)]).toEqual([])
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  for (const name of names)
    expect(
      (await visit(`/${encodeURIComponent('odd<b>&"')}/${encodeURIComponent(name)}`)).status,
      name,
    ).toBe(200)
})

it('is stored as a page, and made new when something in the folder changes', async () => {
  host.plant({ '/kept/a.txt': 'a' })
  const cached = host.site(
    { listing: 'on', cache: { ...DEFAULT_CACHE_RULE, enable: true } },
    {},
    createMemoryPageCache(),
  )
  const first = await cached.visit('/kept/')
  const etag = first.headers.get('etag') ?? ''
  expect([first.headers.get('x-cache'), namesIn(await first.text())]).toEqual(['MISS', ['a.txt']])
  expect((await cached.visit('/kept/')).headers.get('x-cache')).toBe('HIT')
  const same = await cached.visit('/kept/', { headers: { 'if-none-match': etag } })
  expect(same.status).toBe(304)
  // The folder's own time stays as it is when a file in it grows.
  writeFileSync(at('kept/a.txt'), 'much more')
  await wait(1100)
  const grown = await cached.visit('/kept/', { headers: { 'if-none-match': etag } })
  expect([grown.status, (await grown.text()).includes('<td>9 B</td>')]).toEqual([200, true])
})

it('ends after so many names, and lets go of the folder', async () => {
  mkdirSync(at('many'))
  const name = 'n'.repeat(100)
  for (let i = 0; i < MAX_LISTED + 50; i++) writeFileSync(at(`many/${name}${i}`), '')
  const { visit } = site({ uid: null })
  const pages = await Promise.all(Array.from({ length: 20 }, () => visit('/many/')))
  const html = (await pages[0]?.text()) ?? ''
  expect(namesIn(html)).toHaveLength(MAX_LISTED)
  expect(html).toContain('There is more here')
  const open = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return '' // it was the one of the list itself
    }
  })
  expect(open.filter((path) => path.startsWith(at('many')))).toEqual([])
})
