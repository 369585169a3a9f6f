import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { siteHash } from '#adapters/shared/site-hash.ts'
import { DEFAULT_CACHE_RULE } from '#edge-cache/config.ts'
import type { SiteGuard, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { usualSiteSettings } from '#handlers/domain/site-settings/usual-settings.ts'
import type { Ask, Site } from '#test/contract/sites/sites-harness.ts'
import { createMemoryPageCache } from '#test/support/setups/memory-page-cache.ts'
import { createTestHost } from './php-fpm.ts'

const host = createTestHost()
const HTML = 'header("Content-Type: text/html");'
let secret = ''

beforeAll(async () => {
  host.plant({
    '/index.php': `<?php ${HTML} file_put_contents(__DIR__ . "/../runs", "x", FILE_APPEND); echo "front ", $_SERVER["REQUEST_URI"];`,
    '/shared.php': `<?php ${HTML} header("Cache-Control: public, s-maxage=60"); echo "shared";`,
    '/in/page.html': 'inside',
    '/pic.png': 'PNG',
    '/errors/503.html': 'we paint the shop',
    '/start.html': 'start',
    '/.htaccess': 'RewriteEngine On\nRewriteRule ^way$ /in/page.html [L]\nRequire all granted\n',
  })
  secret = await siteHash('open sesame')
  await host.startPhp()
})
afterAll(() => host.stop())

const siteWith = (guard: Partial<SiteGuard>, more: Partial<VirtualHostConfig> = {}): Site => {
  const {
    headers: _h,
    error_pages: _e,
    index: _i,
    listing: _l,
    php: _p,
    ...usual
  } = usualSiteSettings()
  return host.site(
    { guard: { ...usual, ...guard }, cache: { ...DEFAULT_CACHE_RULE, enable: true }, ...more },
    {},
    createMemoryPageCache(),
  )
}
const from = (clientAddress: string, ask: Ask = {}): Ask => ({ ...ask, context: { clientAddress } })
const status = async (site: Site, target: string, ask: Ask = {}): Promise<number> => {
  const response = await site.visit(target, ask)
  await response.body?.cancel()
  return response.status
}
const basic = (user: string, password: string): Ask => ({
  headers: { authorization: `Basic ${btoa(`${user}:${password}`)}` },
})

it('a stored page is shown to nobody whom an allow list keeps out', async () => {
  const site = siteWith({ allow: ['10.0.0.0/8'], deny: ['10.9.0.0/16'] })
  const first = await site.visit('/a', from('10.1.1.1'))
  expect([first.headers.get('x-cache'), await first.text()]).toEqual(['MISS', 'front /a'])
  const second = await site.visit('/a', from('10.1.1.2'))
  expect([second.headers.get('x-cache'), second.headers.get('cache-control')]).toEqual([
    'HIT',
    expect.stringContaining('private'),
  ])
  for (const address of ['192.0.2.1', '10.9.1.1', '::1'])
    for (const path of ['/a', '//a', '/%61', '/pic.png'])
      expect(await status(site, path, from(address)), `${address} ${path}`).toBe(403)
  expect(await status(site, '/a', from('::ffff:10.1.1.1'))).toBe(200)
})

it('maintenance answers 503 with the own page, and spares the allowed and proofs of certificates', async () => {
  const site = siteWith(
    { maintenance: { enabled: true, retry_after_secs: 120, allow: ['10.1.1.1'] } },
    { error_pages: { 503: '/errors/503.html' }, headers: { 'X-Own': 'yes' } },
  )
  expect(await status(site, '/m', from('10.1.1.1'))).toBe(200)
  const closed = await site.visit('/m')
  expect([
    closed.status,
    closed.headers.get('retry-after'),
    closed.headers.get('cache-control'),
  ]).toEqual([503, '120', 'no-store'])
  expect([closed.headers.get('x-own'), await closed.text()]).toEqual(['yes', 'we paint the shop'])
  expect(await status(site, '/.well-known/acme-challenge/token')).toBe(200)
})

it('a page behind a password is shown to who knows it, from wherever one comes to it', async () => {
  const site = siteWith({
    protected: [{ path: '/in', realm: 'Inside', users: [{ name: 'ann', hash: secret }] }],
  })
  const ann = basic('ann', 'open sesame')
  const seen = await site.visit('/in/page.html', ann)
  expect([await seen.text(), seen.headers.get('cache-control')]).toEqual([
    'inside',
    expect.stringContaining('private'),
  ])
  const asked = await site.visit('/in/page.html')
  expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([
    401,
    'Basic realm="Inside"',
  ])
  const ways = [
    '/in',
    '/in/',
    '//in/page.html',
    '/%69n/page.html',
    '/x/../in/page.html',
    '/in%2Fpage.html',
    '/x%2F..%2Fin%2Fpage.html',
    '/way',
    '/in/nothing',
  ]
  for (const way of ways) expect(await status(site, way), way).toBe(401)
  for (const wrong of [
    basic('ann', 'open'),
    basic('ben', 'open sesame'),
    basic('__proto__', 'x'),
    { headers: { authorization: 'Basic !' } },
  ])
    expect(await status(site, '/in/page.html', wrong)).toBe(401)
  expect(await status(site, '/way', ann)).toBe(200)
  expect(await status(site, '/inn')).toBe(200)
  expect(await status(site, '/in/page.html', { ...ann, method: 'HEAD' })).toBe(200)
  expect(await status(site, '/in/page.html', { method: 'POST' })).toBe(401)
})

it('a shared page under a password is stored for no cache on the way', async () => {
  const site = siteWith({
    protected: [{ path: '/', realm: 'All', users: [{ name: 'ann', hash: secret }] }],
  })
  const page = await site.visit('/shared.php', basic('ann', 'open sesame'))
  expect([await page.text(), page.headers.get('cache-control')]).toEqual(['shared', 'private'])
  expect(await status(site, '/shared.php')).toBe(401)
})

it('redirects lead where they say, keep queries, and never in a circle', async () => {
  const site = siteWith({
    www: 'without',
    redirects: [
      { from: '/old', match: 'exact', to: '/new', status: 302 },
      { from: '/shop', match: 'prefix', to: 'https://shop.example/s/', status: 308 },
      { from: '/q', match: 'prefix', to: '/w?a=1#part', status: 307 },
      { from: '/root', match: 'prefix', to: '/', status: 301 },
    ],
  })
  const to = async (target: string, ask: Ask = {}): Promise<unknown[]> => {
    const { status: code, headers } = await site.visit(target, ask)
    return [code, headers.get('location')]
  }
  expect(await to('/old?x=1')).toEqual([302, '/new?x=1'])
  expect(await to('/old/below')).toEqual([200, null])
  expect(await to('/shop')).toEqual([308, 'https://shop.example/s/'])
  expect(await to('/shop/a%20b?x=1')).toEqual([308, 'https://shop.example/s/a%20b?x=1'])
  expect(await to('/shopping')).toEqual([200, null])
  expect(await to('/q/x?y=2')).toEqual([307, '/w/x?a=1#part'])
  expect(await to('/root//evil.example')).toEqual([301, '/evil.example'])
  expect(await to('/root/%0d%0aX:y')).toEqual([400, null])
  expect(await to('/a?b', { host: 'www.a.test' })).toEqual([301, 'http://a.test/a?b'])
  expect(await to('/a', { host: 'www.a.test:8080', method: 'POST' })).toEqual([
    308,
    'http://a.test:8080/a',
  ])
  const own = siteWith({
    redirects: [{ from: '/', match: 'prefix', to: 'http://a.test/', status: 301 }],
  })
  expect(await status(own, '/x')).toBe(200)
  expect((await own.visit('/x', { host: 'www.a.test' })).headers.get('location')).toBe(
    'http://a.test/x',
  )
})

it('pictures are shown to own pages, friends and who says nothing, stored or not', async () => {
  const site = siteWith({
    hotlink: { enabled: true, extensions: ['png'], allow: ['*.friend.example'] },
  })
  const by = (referer: string): Ask => ({ headers: { referer } })
  for (const referer of ['http://a.test/x', 'https://www.a.test/', 'https://x.friend.example/'])
    expect(await status(site, '/pic.png', by(referer)), referer).toBe(200)
  expect(await status(site, '/pic.png')).toBe(200)
  for (const referer of [
    'https://evil.example/',
    'https://a.test.evil.example/',
    'https://evilfriend.example/',
    'https://friend.example/',
  ])
    expect(await status(site, '/pic.png', by(referer)), referer).toBe(403)
  expect(await status(site, '/pic.PNG', by('https://evil.example/'))).toBe(403)
  expect(await status(site, '/page', by('https://evil.example/'))).toBe(200)
  expect((await site.visit('/pic.png')).headers.get('vary')).toContain('Referer')
})

it('too many requests of an address meet 429, which is not stored, whatever is', async () => {
  const rules = [
    { path: '/', requests: 1, per_secs: 60, burst: 3, count_hits: true },
    { path: '/in', requests: 1, per_secs: 60, burst: 1, count_hits: true },
  ]
  const site = siteWith(
    { rate_limits: { rules, allow: ['10.1.1.1'] } },
    { error_pages: { 429: '/errors/503.html' } },
  )
  expect([await status(site, '/in/page.html'), await status(site, '//in/page.html')]).toEqual([
    200, 429,
  ])
  expect([await status(site, '/%69n/page.html'), await status(site, '/in')]).toEqual([429, 429])
  expect([await status(site, '/lim'), await status(site, '/lim')]).toEqual([200, 200])
  const refused = await site.visit('/lim')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect([refused.headers.get('cache-control'), await refused.text()]).toEqual([
    'no-store',
    'we paint the shop',
  ])
  const forwarded = { headers: { 'x-forwarded-for': '198.51.100.1' } }
  expect(await status(site, '/lim', forwarded)).toBe(429)
  expect(await status(site, '/.well-known/acme-challenge/token')).toBe(200)
  const other = await site.visit('/lim', from('192.0.2.99'))
  expect([other.status, other.headers.get('x-cache')]).toEqual([200, 'HIT'])
  for (let n = 0; n < 10; n++) expect(await status(site, '/in', from('10.1.1.1'))).not.toBe(429)
})

it('pages from the cache may be free of limits, and then leave room for others', async () => {
  const rules = [{ path: '/', requests: 1, per_secs: 60, burst: 2, count_hits: false }]
  const site = siteWith({ rate_limits: { rules, allow: [] } })
  for (let n = 0; n < 5; n++) expect(await status(site, '/free')).toBe(200)
  expect([await status(site, '/free?x=1'), await status(site, '/free?x=2')]).toEqual([200, 429])
})

it('settings that stop nobody leave pages as they are', async () => {
  const site = siteWith({})
  expect(await status(site, '/plain')).toBe(200)
  const hit = await site.visit('/plain')
  expect([hit.headers.get('x-cache'), hit.headers.get('cache-control') ?? '']).toEqual([
    'HIT',
    expect.not.stringContaining('private'),
  ])
  expect(readFileSync(join(host.home, 'runs'), 'utf8').length).toBeGreaterThan(0)
})
