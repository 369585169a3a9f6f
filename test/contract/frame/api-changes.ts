import { beforeAll, expect, test } from 'vitest'
import type { Answer, ApiClient, MakeApiInstance } from './api-instance.ts'
import { accountClient, aliceAndBobby, apiClient } from './api-instance.ts'
import { apiGroup } from './api-suite.ts'

const refusals: [string, Record<string, unknown>][] = [
  ['email', { email: 'nobody' }],
  ['plan', { plan: 'gold' }],
  ['disk_quota_mb', { disk_quota_mb: 0 }],
  ['disk_quota_mb', { disk_quota_mb: '500' }],
  ['bandwidth_quota_mb', { bandwidth_quota_mb: 1.5 }],
  ['password', { password: 'short' }],
  ['password', { password: 'line\nbreak!' }],
]

const domainRefusals: [string, Record<string, unknown>][] = [
  ['document_root', { document_root: '/home/bobby/public_html' }],
  ['document_root', { document_root: '/home/alice/../bobby' }],
  ['document_root', { document_root: 'web' }],
  ['php_version', { php_version: 'eight' }],
  ['php_version', { php_version: '5.2' }],
  ['cache_enabled', { cache_enabled: 'yes' }],
  ['cache_ttl', { cache_ttl: -1 }],
  ['cache_ttl', { cache_ttl: 2 ** 31 }],
  ['cache_exclude', { cache_exclude: '/x' }],
  ['cache_exclude', { cache_exclude: ['x'] }],
  ['cache_exclude', { cache_exclude: ['/a*b'] }],
  ['cache_exclude', { cache_exclude: ['/a\nb'] }],
  ['redirect_https', { redirect_https: 1 }],
  ['hsts', { hsts: 'on' }],
  ['default_host', { default_host: 1 }],
]

/** Changes of accounts and domains. */
export const changesContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('changes', makeInstance, (shared) => {
    let alice: ApiClient
    let bobby: ApiClient
    let site = 0
    const patch = (client: ApiClient, path: string, body?: unknown): Promise<Answer> =>
      client.send('PATCH', path, body)
    const account = (body: unknown, client = shared.admin) => patch(client, '/api/accounts/1', body)
    const domain = (body: unknown, client = shared.admin) =>
      patch(client, `/api/domains/${site}`, body)

    beforeAll(async () => {
      ;[alice, bobby] = await aliceAndBobby(shared)
      const rows = (await alice.get('/api/domains')).body.data as { id: number }[]
      site = rows[0]?.id ?? 0
    })

    test.each(refusals)('an account keeps %s against %j', async (field, body) => {
      const answer = await account(body)
      expect(answer.status).toBe(400)
      expect(answer.body.error).toContain(field)
      expect(answer.headers.get('x-error-field')?.split('.')[0]).toBe(field)
    })

    test('nothing, or something else, is no change', async () => {
      for (const body of [{}, { current_password: 'account password' }])
        expect((await account(body)).body.error).toContain('Nothing to change')
      expect((await account('{')).status).toBe(400)
      expect((await patch(apiClient(shared.instance), '/api/accounts/1', {})).status).toBe(401)
      expect((await patch(shared.admin, '/api/accounts/99', { plan: 'pro' })).status).toBe(404)
    })

    test('quotas of the plan follow the plan, others stay, null goes back', async () => {
      const quotas = async (body: unknown) => {
        const { data } = (await account(body)).body
        const { plan, disk_quota_mb, bandwidth_quota_mb } = data as Record<string, unknown>
        return [plan, disk_quota_mb, bandwidth_quota_mb]
      }
      expect(await quotas({ plan: 'pro' })).toEqual(['pro', 5000, 100_000])
      expect(await quotas({ disk_quota_mb: 777 })).toEqual(['pro', 777, 100_000])
      expect(await quotas({ plan: 'business' })).toEqual(['business', 777, 1_000_000])
      expect(await quotas({ disk_quota_mb: null, bandwidth_quota_mb: 5 })).toEqual([
        'business',
        50_000,
        5,
      ])
      expect(await quotas({ plan: 'free', bandwidth_quota_mb: null })).toEqual([
        'free',
        500,
        10_000,
      ])
    })

    test('an account changes its own email and, with the present one, its password', async () => {
      expect((await account({ email: 'new@alice.example' }, alice)).body.data).toMatchObject({
        email: 'new@alice.example',
      })
      for (const body of [{ plan: 'pro' }, { disk_quota_mb: 9 }, { bandwidth_quota_mb: null }])
        expect((await account({ ...body, email: 'x@alice.example' }, alice)).status).toBe(403)
      expect((await account({ email: 'x@bobby.example' }, bobby)).status).toBe(404)
      const password = 'another password'
      const without = await account({ password }, alice)
      expect([without.status, without.headers.get('x-error-field')]).toEqual([
        400,
        'current_password',
      ])
      expect((await account({ password, current_password: 'wrong one' }, alice)).status).toBe(403)
      expect((await alice.get('/api/auth/me')).status).toBe(200)
      const good = await account({ password, current_password: 'account password' }, alice)
      expect(good.status).toBe(200)
      expect(JSON.stringify(good.body)).not.toContain('another')
      expect((await alice.get('/api/auth/me')).status).toBe(401)
      const login = (word: string) =>
        apiClient(shared.instance).post('/api/auth/login', { username: 'alice', password: word })
      expect((await login('account password')).status).toBe(401)
      expect((await login(password)).status).toBe(200)
      expect((await account({ password: 'account password' })).status).toBe(200)
      alice = await accountClient(shared.instance, 'alice')
    })

    test.each(domainRefusals)('a domain keeps %s against %j', async (field, body) => {
      const answer = await domain(body)
      expect(answer.status).toBe(400)
      expect(answer.body.error).toContain(field)
      expect(answer.headers.get('x-error-field')?.split('.')[0]).toBe(field)
    })

    test('a domain is found and changed by its owner alone', async () => {
      const path = `/api/domains/${site}`
      expect((await alice.get(path)).body.data).toMatchObject({ domain_name: 'alice.example' })
      expect((await bobby.get(path)).status).toBe(404)
      expect((await domain({ cache_ttl: 1 }, bobby)).status).toBe(404)
      expect((await shared.admin.get('/api/domains/99')).status).toBe(404)
      expect((await patch(shared.admin, '/api/domains/99', { cache_ttl: 1 })).status).toBe(404)
      for (const client of [apiClient(shared.instance)]) {
        expect((await client.get(path)).status).toBe(401)
        expect((await domain({ cache_ttl: 1 }, client)).status).toBe(401)
      }
      expect((await domain({})).body.error).toContain('Nothing to change')
      const change = {
        document_root: '/home/alice/public_html/next',
        php_version: '8.2',
        cache_enabled: false,
        cache_ttl: 60,
        cache_exclude: ['/cart/*'],
        hsts: false,
        redirect_https: false,
      }
      expect((await domain(change, alice)).body.data).toMatchObject(change)
      expect((await alice.get(path)).body.data).toMatchObject(change)
      const files = await alice.get('/api/files/list?account_id=1&path=public_html')
      expect(files.body.data).toContainEqual(expect.objectContaining({ name: 'next' }))
      const back = { php_version: null, cache_ttl: null, document_root: '/home/alice/public_html' }
      expect((await domain(back, alice)).body.data).toMatchObject(back)
    })

    test('https settings need a certificate', async () => {
      for (const body of [{ redirect_https: true }, { hsts: true, cache_ttl: 5 }])
        expect((await domain(body)).status).toBe(409)
      expect((await alice.get(`/api/domains/${site}`)).body.data).toMatchObject({ cache_ttl: null })
    })

    test('a new domain takes cache settings; an alias has none, and keeps its site', async () => {
      const base = { account_id: 1, domain_type: 'addon', document_root: '/home/alice/shop' }
      const settings = { cache_enabled: false, cache_ttl: 9, cache_exclude: ['/a'] }
      const made = await alice.post('/api/domains', {
        ...base,
        ...settings,
        domain_name: 'shop.example',
      })
      expect(made.body.data).toMatchObject(settings)
      const bad = { ...base, domain_name: 'x.example', cache_exclude: ['a'] }
      expect((await alice.post('/api/domains', bad)).status).toBe(400)
      const alias = await alice.post('/api/domains', {
        ...base,
        domain_type: 'alias',
        domain_name: 'shop2.example',
      })
      const { id } = alias.body.data as { id: number }
      expect((await patch(alice, `/api/domains/${id}`, { cache_ttl: 1 })).status).toBe(409)
      const elsewhere = { document_root: '/home/alice/else' }
      expect((await patch(alice, `/api/domains/${id}`, elsewhere)).status).toBe(400)
      const shop = (made.body.data as { id: number }).id
      expect((await patch(alice, `/api/domains/${shop}`, elsewhere)).status).toBe(409)
    })

    test('what is suspended is changed by nobody but in its quotas and passwords', async () => {
      await shared.admin.post('/api/accounts/1/suspend')
      expect((await domain({ cache_ttl: 1 })).status).toBe(409)
      expect((await account({ plan: 'pro', password: 'account password' })).status).toBe(200)
      await shared.admin.post('/api/accounts/1/unsuspend')
    })
  })
}
