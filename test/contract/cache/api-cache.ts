import { expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { readEvents } from '../frame/event-reader.ts'

interface Site {
  domain: string
  aliases: string[]
  [field: string]: unknown
}
const sitesOf = async (client: ApiClient): Promise<Site[]> =>
  ((await client.get('/api/cache')).body.data as { domains: Site[] }).domains

/** The page cache. */
export const cacheContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('page cache', makeInstance, (shared) => {
    let id = 0
    test('the list tells of every site that one may see', async () => {
      const { admin, instance } = shared
      id = (await createAccount(admin, 'alice')).id
      await createAccount(admin, 'bobby')
      instance.host.pageCache.counters.set('alice.example', {
        hits: 75,
        misses: 20,
        bypasses: { cookie: 4, query: 1 },
      })
      instance.host.pageCache.pages.push({ domain: 'alice.example', path: '/', tags: [] })
      const { body } = await admin.get('/api/cache')
      expect(body.data).toMatchObject({
        running: true,
        server: { storage: 'disk', requests: 100, hits: 75, hit_rate: 75, entries: 1 },
      })
      expect((await admin.get('/api/cache?sites=none')).body.data).toEqual({
        ...(body.data as object),
        domains: [],
      })
      expect(await sitesOf(admin)).toMatchObject([
        { domain: 'alice.example', requests: 100, bypasses: 5, hit_rate: 75, entries: 1 },
        { domain: 'bobby.example', requests: 0, hit_rate: null, entries: 0 },
      ])
      const alice = await accountClient(instance, 'alice')
      expect((await sitesOf(alice)).map(({ domain }) => domain)).toEqual(['alice.example'])
      expect((await alice.get('/api/cache')).body.data).toMatchObject({ server: null })
    })

    test('a site is found by all its names, and by nobody else', async () => {
      const { admin, instance } = shared
      const added = await admin.post('/api/domains', {
        account_id: id,
        domain_name: 'also-alice.example',
        domain_type: 'alias',
        document_root: '/home/alice/public_html',
      })
      expect(added.status).toBe(200)
      const alice = await accountClient(instance, 'alice')
      const bobby = await accountClient(instance, 'bobby')
      for (const name of ['alice.example', 'www.alice.example', 'also-alice.example']) {
        const answer = await alice.get(`/api/cache/${name}`)
        expect(answer.body.data, name).toMatchObject({
          site: { domain: 'alice.example', aliases: ['also-alice.example'] },
          bypass_reasons: { cookie: 4, query: 1 },
          rules: { enabled: true, bypass_cookies: null },
        })
        const foreign = await bobby.get(`/api/cache/${name}`)
        const absent = await bobby.get('/api/cache/absent.example')
        expect([foreign.status, foreign.body]).toEqual([absent.status, absent.body])
        expect(foreign.status).toBe(404)
      }
    })

    test('purges say what went; an alias purges its site', async () => {
      const { admin, instance } = shared
      const { pageCache } = instance.host
      for (const domain of ['alice.example', 'bobby.example'])
        for (const path of ['/a', '/blog/x', '/blog/y'])
          pageCache.pages.push({ domain, path, tags: ['news'] })
      const purge = async (name: string, body: object) =>
        (await admin.post(`/api/cache/${name}/purge`, body)).body.data
      expect(await purge('alice.example', { paths: ['/blog/*'] })).toEqual({
        purged: true,
        pages: 2,
        at_least: false,
        widened: false,
      })
      expect(await purge('also-alice.example', { tags: ['News'] })).toMatchObject({ pages: 1 })
      expect(await purge('alice.example', { all: true })).toMatchObject({ pages: 1 })
      expect(pageCache.pages.every(({ domain }) => domain === 'bobby.example')).toBe(true)
      pageCache.running = false
      expect(await purge('alice.example', { all: true })).toMatchObject({ pages: null })
      const { body } = await admin.get('/api/cache')
      expect(body.data).toMatchObject({ running: false, server: null })
      pageCache.running = true
      expect((await admin.post('/api/cache/purge')).body.data).toEqual({ purged: true })
      expect(instance.host.webServer.purges.at(-1)).toEqual([])
      const bobby = await accountClient(instance, 'bobby')
      expect((await bobby.post('/api/cache/purge')).status).toBe(403)
    })

    test('a site says why its visitors are not served, and who purged it', async () => {
      const { admin, instance } = shared
      const { pageCache } = instance.host
      pageCache.seen.set('bobby.example', {
        since_ms: Date.UTC(2026, 0, 2, 3),
        reasons: [
          { name: 'content-type', count: 900 },
          { name: 'cookie', count: 30 },
          { name: 'uri-miss', count: 10 },
        ],
        click_ids_only: 7,
        cookies: [
          { name: 'member', count: 30 },
          { name: 'wordpress_logged_in_5f4d', count: 4 },
        ],
        pages: [{ path: '/cart', count: 12, reason: 'cookie' }],
        worker_cpu: [{ at_ms: Date.UTC(2026, 0, 2, 3, 4), ms: 120 }],
        account_cpu: [{ at_ms: Date.UTC(2026, 0, 2, 3, 5), ms: 5010 }],
      })
      pageCache.known.set('bobby.example', {
        application: 'wordpress',
        learned_cookies: [{ name: 'member', learned_at: '2026-01-02T03:00:00.000Z' }],
        learned_full: false,
        varies: { since_ms: Date.UTC(2026, 0, 2, 4), why: 'language', page: '/shop' },
      })
      await admin.post('/api/cache/bobby.example/purge', { paths: ['/a', '/b*'] })
      const bobby = await accountClient(instance, 'bobby')
      await bobby.post('/api/cache/bobby.example/purge', { all: true })
      const read = async (): Promise<unknown> =>
        ((await bobby.get('/api/cache/bobby.example')).body.data as { insight: unknown }).insight
      expect(await read()).toEqual({
        since: '2026-01-02 03:00:00',
        unserved: 40,
        files: 900,
        reasons: [
          { reason: 'cookie', count: 30 },
          { reason: 'uri-miss', count: 10 },
        ],
        cookies: [
          { name: 'member', count: 30 },
          { name: 'wordpress_logged_in_5f4d', count: 4 },
        ],
        application_cookies: ['wordpress_logged_in_5f4d'],
        pages: [{ path: '/cart', count: 12, reason: 'cookie' }],
        click_ids_only: 7,
        click_ids: ['utm_*', 'fbclid', 'gclid'],
        application: 'wordpress',
        learned_cookies: ['member'],
        learned_full: false,
        varies: { since: '2026-01-02 04:00:00', why: 'language', page: '/shop' },
        applications: expect.arrayContaining(['wordpress', 'dokuwiki']),
        worker_cpu: [{ at: '2026-01-02 03:04:00', ms: 120 }],
        account_cpu: [{ at: '2026-01-02 03:05:00', ms: 5010 }],
        purges: [
          expect.objectContaining({ scope: 'all', items: [], cause: 'panel:bobby' }),
          expect.objectContaining({
            scope: 'paths',
            items: ['/a', '/b*'],
            count: 2,
            times: 1,
            cause: 'panel:boss',
          }),
        ],
      })
      pageCache.running = false
      expect(await read()).toBeNull()
      pageCache.running = true
    })

    test.each([
      [{}],
      [{ all: false }],
      [{ all: true, paths: ['/'] }],
      [{ paths: [] }],
      [{ paths: ['a'] }],
      [{ paths: ['/a?b=1'] }],
      [{ paths: ['/../x'] }],
      [{ paths: Array.from({ length: 101 }, () => '/a') }],
      [{ tags: ['a b'] }],
      [{ tags: [''] }],
      [{ tags: 'news' }],
    ])('a purge refuses %j', async (body) => {
      const { status } = await shared.admin.post('/api/cache/alice.example/purge', body)
      expect(status).toBe(400)
    })

    test.each([
      ['paths', { paths: ['/ok', '/a?b=1'] }],
      ['paths', { paths: ['a*'] }],
      ['tags', { tags: ['ok', 'a b'] }],
    ])('a refused purge names its field, %s', async (field, body) => {
      const { headers } = await shared.admin.post('/api/cache/alice.example/purge', body)
      expect(headers.get('x-error-field')).toBe(field)
    })

    test('pages are warmed, at once or as a job', async () => {
      const { admin, instance } = shared
      const path = '/api/cache/alice.example/warm'
      const order = { urls: ['/a', 'http://bobby.example/a'], discover: true }
      expect((await admin.post(path, order)).body.data).toMatchObject({
        done: 2,
        failed: 0,
        rejected: [{ url: 'http://bobby.example/a' }],
        finished: true,
      })
      const alice = await accountClient(instance, 'alice')
      const begun = await alice.send('POST', path, { urls: ['/b'] }, { prefer: 'respond-async' })
      expect(begun.status).toBe(200)
      const { job_id } = begun.body.data as { job_id: string }
      const events = await instance.fetch(`/api/jobs/${job_id}/events`, {
        headers: { authorization: `Bearer ${alice.token ?? ''}` },
      })
      const last = (await readEvents(events).all()).at(-1)
      expect(last?.data).toMatchObject({
        kind: 'cache.warm',
        subject: 'alice.example',
        state: 'done',
        result: { done: 1 },
      })
      expect((await admin.post(path, {})).status).toBe(400)
      expect((await admin.post(path, { urls: ['/'], discover: 'x' })).status).toBe(400)
      instance.host.pageCache.warms = false
      expect((await admin.post(path, { discover: true })).status).toBe(409)
      instance.host.pageCache.warms = true
    })

    test('rules reach the virtual host, and purge the site', async () => {
      const { admin, instance } = shared
      const { webServer } = instance.host
      const patch = (body: object) => admin.send('PATCH', '/api/cache/alice.example', body)
      const rules = {
        enabled: true,
        ttl: 60,
        exclude: ['/cart/*'],
        bypass_cookies: ['member', 'basket_*'],
        ignore_params: ['utm_*'],
        mobile_variant: true,
        harmless_cookies: ['theme', 'cart[1]'],
        session_cookies: ['member_*'],
        application: 'wordpress',
        fills: 'neutral',
      }
      const purges = webServer.purges.length
      expect((await patch(rules)).body.data).toMatchObject({ rules })
      expect(webServer.hosts.get('alice.example')?.cache).toEqual({
        enable: true,
        ttl: 60,
        exclude: ['/cart/*'],
        bypassCookies: ['member', 'basket_*'],
        ignoreQueryParams: ['utm_*'],
        mobileVariant: true,
        fills: 'neutral',
        harmlessCookies: ['theme', 'cart[1]'],
        sessionCookies: ['member_*'],
        application: 'wordpress',
      })
      expect(webServer.purges.slice(purges)).toEqual([['alice.example']])
      await patch({ bypass_cookies: null, ignore_params: [], mobile_variant: null })
      await patch({
        harmless_cookies: [],
        session_cookies: [],
        application: null,
        fills: 'visitor',
      })
      expect(webServer.hosts.get('alice.example')?.cache.fills).toBe('visitor')
      await patch({ fills: 'auto' })
      expect(webServer.hosts.get('alice.example')?.cache).toEqual({
        enable: true,
        ttl: 60,
        exclude: ['/cart/*'],
        ignoreQueryParams: [],
      })
    })

    test.each([
      ['ttl', { ttl: -1 }],
      ['ttl', { ttl: '60' }],
      ['exclude', { exclude: ['cart'] }],
      ['exclude', { exclude: ['/a*b'] }],
      ['bypass_cookies', { bypass_cookies: ['a;b'] }],
      ['bypass_cookies', { bypass_cookies: ['a\n[server]'] }],
      ['bypass_cookies', { bypass_cookies: [''] }],
      ['ignore_params', { ignore_params: ['*'] }],
      ['ignore_params', { ignore_params: ['a&b'] }],
      ['ignore_params', { ignore_params: 'utm_*' }],
      ['mobile_variant', { mobile_variant: 'yes' }],
      ['harmless_cookies', { harmless_cookies: ['a;b'] }],
      ['harmless_cookies', { harmless_cookies: ['*'] }],
      ['harmless_cookies', { harmless_cookies: null }],
      ['session_cookies', { session_cookies: ['a\nb'] }],
      ['session_cookies', { session_cookies: ['n'.repeat(129)] }],
      ['application', { application: 'toString' }],
      ['fills', { fills: null }],
      ['enabled', { enabled: null }],
    ])('rules name the bad field %s of %j', async (field, body) => {
      const answer = await shared.admin.send('PATCH', '/api/cache/alice.example', body)
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-error-field')?.split('.')[0]).toBe(field)
    })

    test('a learned cookie is forgotten by whoever owns the site', async () => {
      const { admin, instance } = shared
      const { pageCache } = instance.host
      const names = (...all: string[]) => all.map((name) => ({ name, learned_at: '' }))
      pageCache.known.set('bobby.example', {
        application: null,
        learned_cookies: names('member', 'cart[1]', 'a/b', 'theme'),
        learned_full: true,
        varies: null,
      })
      const bobby = await accountClient(instance, 'bobby')
      const alice = await accountClient(instance, 'alice')
      const cookies = '/api/cache/bobby.example/cookies'
      const insight = async () => {
        const { data } = (await bobby.get('/api/cache/bobby.example')).body
        return (data as { insight: object }).insight
      }
      const foreign = await alice.send('DELETE', `${cookies}/member`)
      const absent = await alice.send('DELETE', '/api/cache/absent.example/cookies/member')
      expect([foreign.status, foreign.body]).toEqual([absent.status, absent.body])
      expect((await alice.send('DELETE', cookies)).status).toBe(404)
      expect(await insight()).toMatchObject({ learned_cookies: expect.arrayContaining(['member']) })

      for (const name of ['Member', 'cart%5B1%5D', 'a%2Fb'])
        expect((await bobby.send('DELETE', `${cookies}/${name}`)).body.data, name).toEqual({
          forgotten: true,
        })
      expect(await insight()).toMatchObject({ learned_cookies: ['theme'], learned_full: true })
      expect((await bobby.send('DELETE', `${cookies}/member`)).status).toBe(404)
      expect((await bobby.send('DELETE', `${cookies}/${'n'.repeat(129)}`)).status).toBe(400)
      for (const client of [admin, bobby])
        expect((await client.send('DELETE', cookies)).body.data).toEqual({ forgotten: true })
      expect(await insight()).toMatchObject({ learned_cookies: [], learned_full: false })
      pageCache.running = false
      expect((await bobby.send('DELETE', `${cookies}/theme`)).status).toBe(503)
      pageCache.running = true
    })

    test('an account may purge only so often', async () => {
      const { admin } = shared
      await createAccount(admin, 'carol')
      const answers = []
      for (let i = 0; i < 65; i++)
        answers.push(await admin.post('/api/cache/carol.example/purge', { paths: ['/'] }))
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await admin.post('/api/cache/bobby.example/purge', { all: true })).status).toBe(200)
    })

    test('a token of scope cache reaches these routes alone', async () => {
      const { admin, instance } = shared
      const { body } = await admin.post('/api/tokens', { name: 'cache', scopes: ['cache'] })
      const token = apiClient(instance, (body.data as { token: string }).token)
      expect((await token.get('/api/cache')).status).toBe(200)
      expect((await token.get('/api/cache/bobby.example')).status).toBe(200)
      expect((await token.post('/api/cache/bobby.example/purge', { all: true })).status).toBe(200)
      expect((await token.get('/api/domains')).status).toBe(403)
      const plugin = await token.send('PUT', '/api/cache/bobby.example/plugin', { installed: true })
      expect(plugin.status).toBe(403)
    })

    test('the plugin of a WordPress is put in place and taken away', async () => {
      const { admin, instance } = shared
      const path = '/api/cache/www.alice.example/plugin'
      const { wordpress } = instance.host.cachePlugin
      expect((await admin.get(path)).body.data).toBeNull()
      expect((await admin.send('PUT', path, { installed: true })).status).toBe(409)
      wordpress.set('alice.example', 'none')
      const alice = await accountClient(instance, 'alice')
      const bobby = await accountClient(instance, 'bobby')
      expect((await bobby.get(path)).status).toBe(404)
      expect((await bobby.send('PUT', path, { installed: true })).status).toBe(404)
      expect((await alice.send('PUT', path, {})).status).toBe(400)
      const states: unknown[] = []
      for (const installed of [true, true, false]) {
        expect((await alice.send('PUT', path, { installed })).status).toBe(200)
        states.push(((await alice.get(path)).body.data as { state: string }).state)
      }
      expect(states).toEqual(['current', 'current', 'none'])
      wordpress.set('alice.example', 'foreign')
      expect((await alice.send('PUT', path, { installed: true })).status).toBe(409)
      wordpress.clear()
    })
  })
}
