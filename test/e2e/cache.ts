import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createPageCachePort } from '#adapters/node/agent/domains/page-cache-port.ts'
import { pageCachePortContract } from '#test/contract/cache/page-cache-port.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

/** Answers every path, tagged `shared` and by its path, with something new each time. */
const PAGES = `<?php
$path = strtok($_SERVER['REQUEST_URI'], '?');
header('Content-Type: text/html');
foreach (array_filter(explode(' ', $_SERVER['HTTP_X_SETS'] ?? '')) as $name) setcookie($name, '1');
header('Cache-Tag: shared, ' . str_replace('/', '', $path));
echo bin2hex(random_bytes(8));`

const newTenant = async (): Promise<Tenant> => {
  const tenant = await Tenant.create(panel)
  await tenant.put('public_html/index.php', PAGES)
  await tenant.run('rm', ['-f', '--', tenant.path('public_html', 'index.html')])
  return tenant
}
/** One for the tests that do not mind each other's visits: the licence allows few accounts. */
let common: Promise<Tenant> | null = null
const commonTenant = (): Promise<Tenant> => (common ??= newTenant())
const xCache = async (host: string, path: string, headers: Record<string, string> = {}) =>
  (await instance.site(host, path, { headers })).headers['x-cache']
pageCachePortContract('real web server', async () => {
  const [site, other] = [await newTenant(), await newTenant()]
  const known = new Set([site.domain, other.domain])
  const pageCache = createPageCachePort({
    registry: {
      vhost: (domain) => (known.has(domain) ? ({ domain } as never) : null),
    },
    socketPath: join(instance.config.paths.run_dir, 'web.sock'),
    accountCpu: () => null,
    webServer: { purge: () => Promise.reject(new Error('the web server does not run')) },
  })
  return {
    pageCache,
    site: site.domain,
    other: other.domain,
    alias: `www.${site.domain}`,
    visit: async (host, path) => {
      expect((await instance.site(host, path)).status).toBe(200)
    },
    setCookies: async (host, names) => {
      const headers = { 'x-sets': names.join(' ') }
      expect((await instance.site(host, '/sets', { headers })).status).toBe(200)
    },
    isStored: async (host, path) => (await xCache(host, path)) === 'HIT',
    dispose: async () => undefined,
  }
})

interface Purge {
  pages: number
}
interface Details {
  site: { hits: number; misses: number; requests: number; entries: number; hit_rate: number }
  history: { hits: number; misses: number }[]
  rules: { exclude: string[] }
}

test('a page is stored, purged by path and by tag, warmed, and counted', async () => {
  const { domain } = await commonTenant()
  const purge = (body: object) => panel.data<Purge>('POST', `/api/cache/${domain}/purge`, body)
  expect(await xCache(domain, '/news/one')).toBe('MISS')
  expect(await xCache(domain, '/news/one')).toBe('HIT')
  expect(await purge({ paths: ['/news/*'] })).toMatchObject({ pages: 1 })
  expect(await xCache(domain, '/news/one')).toBe('MISS')
  expect(await purge({ tags: ['newsone'] })).toMatchObject({ pages: 1 })
  expect(await purge({ all: true })).toMatchObject({ pages: 0 })
  const warmed = await panel.data('POST', `/api/cache/${domain}/warm`, { urls: ['/news/one'] })
  expect(warmed).toMatchObject({ done: 1, failed: 0, finished: true })
  expect(await xCache(domain, '/news/one')).toBe('HIT')
  const details = await panel.data<Details>('GET', `/api/cache/${domain}`)
  expect(details.site.hits).toBeGreaterThanOrEqual(2)
  expect(details.site.misses).toBeGreaterThanOrEqual(2)
  expect(details.site.entries).toBeGreaterThan(0)
})

interface Insight {
  unserved: number
  reasons: { reason: string; count: number }[]
  cookies: { name: string; count: number }[]
  pages: { path: string; count: number }[]
  click_ids_only: number
  click_ids: string[]
  purges: { scope: string; items: string[]; cause: string }[]
}

test('the site says why visitors were not served, of all workers, and who purged it', async () => {
  const { domain } = await commonTenant()
  const insight = async () =>
    (await panel.data<{ insight: Insight }>('GET', `/api/cache/${domain}`)).insight
  for (let i = 0; i < 3; i++) {
    await xCache(domain, '/seen')
    await xCache(domain, '/cart', { cookie: 'PHPSESSID=secret; _ga=1' })
    await xCache(domain, '/seen?utm_source=x&fbclid=1')
    await xCache(domain, '/seen?id=1')
  }
  await panel.data('POST', `/api/cache/${domain}/purge`, { paths: ['/seen', '/cart*'] })
  const seen = await insight()
  const counts = Object.fromEntries(seen.reasons.map(({ reason, count }) => [reason, count]))
  expect(counts).toMatchObject({ cookie: 3, query: 6 })
  expect(seen.cookies).toEqual([{ name: 'PHPSESSID', count: 3 }])
  expect(seen.click_ids_only).toBe(3)
  expect(seen.pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['/seen', '/cart']))
  expect(seen.unserved).toBe(Object.values(counts).reduce((sum, count) => sum + count, 0))
  expect(JSON.stringify(seen)).not.toContain('secret')
  expect(seen.purges[0]).toMatchObject({ scope: 'paths', items: ['/seen', '/cart*'] })
  expect(seen.purges[0]?.cause).toMatch(/^panel:/)
  await panel.data('PATCH', `/api/cache/${domain}`, { ignore_params: seen.click_ids })
  expect((await insight()).purges.map(({ cause }) => cause)).toContain('rules')
  await xCache(domain, '/seen')
  expect(await xCache(domain, '/seen?utm_source=x&fbclid=1')).toBe('HIT')
})

test('rules hold at once, and nothing stays that they do not admit', async () => {
  const { domain } = await newTenant()
  const change = (rules: object) => panel.data<Details>('PATCH', `/api/cache/${domain}`, rules)
  const visitor = { cookie: 'member=1' }
  for (const path of ['/a', '/a', '/private/x']) await xCache(domain, path)
  expect(await xCache(domain, '/private/x')).toBe('HIT')
  expect(await xCache(domain, '/a?utm_source=x')).toBe('MISS')

  const { rules } = await change({
    exclude: ['/private/*'],
    ignore_params: ['utm_*'],
    bypass_cookies: ['member'],
    mobile_variant: true,
    ttl: 600,
  })
  expect(rules).toEqual({
    enabled: true,
    ttl: 600,
    exclude: ['/private/*'],
    ignore_params: ['utm_*'],
    bypass_cookies: ['member'],
    mobile_variant: true,
    harmless_cookies: [],
    session_cookies: [],
    application: null,
    fills: 'auto',
  })
  expect(await xCache(domain, '/private/x')).toBeUndefined()
  expect(await xCache(domain, '/private/x')).toBeUndefined()
  expect(await xCache(domain, '/a')).toBe('MISS')
  expect(await xCache(domain, '/a?utm_source=x')).toBe('HIT')
  expect(await xCache(domain, '/a', visitor)).toBe('MISS')
  const phone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0) Mobile/15E148 Safari' }
  expect(await xCache(domain, '/a', phone)).toBe('MISS')
  expect(await xCache(domain, '/a', phone)).toBe('HIT')

  await change({ bypass_cookies: null, exclude: [], mobile_variant: null, ignore_params: null })
  expect(await xCache(domain, '/private/x')).toBe('MISS')
  await change({ enabled: false })
  expect(await xCache(domain, '/a')).toBeUndefined()
})

test('a purge while the web server is away holds when it is back', async () => {
  const { domain } = await newTenant()
  const before = (await instance.site(domain, '/kept')).text
  expect((await instance.site(domain, '/kept')).text).toBe(before)
  await instance.kill('web')
  const { status, body } = await panel.call('POST', `/api/cache/${domain}/purge`, {
    paths: ['/kept'],
  })
  expect([status, body.error]).toEqual([200, undefined])
  await instance.untilReady()
  await expect
    .poll(async () => (await instance.site(domain, '/kept')).text, { timeout: 10_000 })
    .not.toBe(before)
})
