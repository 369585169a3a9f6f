import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const addon = (domain_name: string, change: Record<string, unknown> = {}) => ({
  account_id: 1,
  domain_name,
  domain_type: 'addon',
  document_root: '/home/alice/sites/shop',
  ...change,
})

const badInputs: [string, Record<string, unknown>][] = [
  ['account_id', { account_id: undefined }],
  ['account_id', { account_id: '1' }],
  ['account_id', { account_id: 0 }],
  ['account_id', { account_id: 1.5 }],
  ['domain_name', { domain_name: undefined }],
  ['domain_name', { domain_name: '' }],
  ['domain_name', { domain_name: 'a..b.example' }],
  ['domain_name', { domain_name: '-a.example' }],
  ['domain_name', { domain_name: 'a_b.example' }],
  ['domain_name', { domain_name: 'a#b.example' }],
  ['domain_name', { domain_name: 'a{b}.example' }],
  ['domain_name', { domain_name: '[::1]' }],
  ['domain_name', { domain_name: 'user@host.example' }],
  ['domain_name', { domain_name: 'host.example:80' }],
  ['domain_type', { domain_type: 'other' }],
  ['domain_type', { domain_type: undefined }],
  ['document_root', { document_root: undefined }],
  ['document_root', { document_root: 'sites/shop' }],
  ['document_root', { document_root: '/' }],
  ['document_root', { document_root: '/home' }],
  ['document_root', { document_root: '/home/alice' }],
  ['document_root', { document_root: '/home/alice/' }],
  ['document_root', { document_root: '/home/alice2/x' }],
  ['document_root', { document_root: '/home/bobby/public_html' }],
  ['document_root', { document_root: '/home/alice/../bobby' }],
  ['document_root', { document_root: '/home/alice/a\nb' }],
  ['document_root', { document_root: '/home/alice/a\\b' }],
  ['document_root', { document_root: '/home/alice/sessions' }],
  ['document_root', { document_root: '/home/alice/.ssh' }],
]

/** Domains of accounts. */
export const domainsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('domains', makeInstance, (shared) => {
    let bobby: ApiClient
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby', 'sub.bobby.example')
      bobby = await accountClient(shared.instance, 'bobby')
    })

    test.each(badInputs)('create names the bad field %s of %j', async (field, change) => {
      const answer = await shared.admin.post('/api/domains', addon('shop.example', change))
      expect(answer.status).toBe(400)
      expect(answer.body.error).toContain(field)
      expect(answer.headers.get('x-error-field')).toBe(field)
    })

    test('create answers the record and makes the folder', async () => {
      const answer = await shared.admin.post('/api/domains', addon('Shop.Example'))
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual({
        id: expect.any(Number),
        account_id: 1,
        username: 'alice',
        domain_name: 'shop.example',
        domain_type: 'addon',
        document_root: '/home/alice/sites/shop',
        ssl_status: 'none',
        ...{ ssl_expires_at: null, redirect_https: false, hsts: false, default_host: false },
        ...{ php_version: null },
        ...{ cache_enabled: true, cache_ttl: null, cache_exclude: [], cache_application: null },
        ...{ cache_bypass_cookies: null, cache_ignore_params: null, cache_mobile_variant: null },
        ...{ cache_harmless_cookies: [], cache_session_cookies: [], cache_fills: 'auto' },
        ...{ application_id: null, application_paths: null },
        created_at: expect.any(String),
        updated_at: expect.any(String),
      })
      const page = await shared.admin.get('/api/files/read?account_id=1&path=sites/shop/index.html')
      expect((page.body.data as { content: string }).content).toContain('shop.example')
      const { body } = await shared.admin.get('/api/files/list?account_id=1&path=sites')
      expect(body.data).toEqual([expect.objectContaining({ name: 'shop', type: 'directory' })])
    })

    test('international names are kept as A-labels', async () => {
      const answer = await shared.admin.post('/api/domains', addon('Bücher.example'))
      expect(answer.body.data).toMatchObject({ domain_name: 'xn--bcher-kva.example' })
      expect(
        (await shared.admin.post('/api/domains', addon('xn--bcher-kva.example.'))).status,
      ).toBe(409)
    })

    test.each([
      ['a duplicate', addon('shop.example')],
      ['a second primary', addon('second.example', { domain_type: 'primary' })],
      ['a child of a foreign domain', addon('x.sub.bobby.example')],
      ['a parent of a foreign domain', addon('bobby.example')],
    ])('%s is 409', async (_, input) => {
      expect((await shared.admin.post('/api/domains', input)).status).toBe(409)
    })

    test('own subdomains are welcome, neighbours of foreign ones too', async () => {
      for (const name of ['blog.shop.example', 'www.alice.example', 'notsub.bobby.example']) {
        const answer = await shared.admin.post(
          '/api/domains',
          addon(name, { domain_type: name.startsWith('notsub') ? 'addon' : 'subdomain' }),
        )
        expect(`${name} ${answer.status}`).toBe(`${name} 200`)
      }
    })

    test('a subdomain lies below a domain of its account', async () => {
      const answer = await shared.admin.post(
        '/api/domains',
        addon('blog.nowhere.example', { domain_type: 'subdomain' }),
      )
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'domain_name'])
      expect(answer.body.error).toContain('addon')
    })

    test('a folder that holds something gets no page', async () => {
      const kept = { account_id: 2, path: 'kept' }
      await shared.admin.post('/api/files/mkdir', kept)
      await shared.admin.post('/api/files/write', {
        ...kept,
        path: 'kept/own.txt',
        content: 'own',
      })
      const added = await shared.admin.post(
        '/api/domains',
        addon('kept.example', { account_id: 2, document_root: '/home/bobby/kept' }),
      )
      const { body } = await shared.admin.get('/api/files/list?account_id=2&path=kept')
      expect(body.data).toEqual([expect.objectContaining({ name: 'own.txt' })])
      const { id } = added.body.data as { id: number }
      expect((await shared.admin.del(`/api/domains/${id}`)).status).toBe(200)
    })

    test('an unknown account is 404', async () => {
      const answer = await shared.admin.post('/api/domains', addon('x.example', { account_id: 99 }))
      expect(answer.status).toBe(404)
    })

    test('lists all, and those of one account', async () => {
      const all = await shared.admin.get('/api/domains?sort=domain_name&per_page=2')
      expect(all.headers.get('x-total-count')).toBe('7')
      expect(all.body.data).toHaveLength(2)
      const own = await shared.admin.get('/api/domains/account/2')
      expect(own.body.data).toEqual([expect.objectContaining({ domain_name: 'sub.bobby.example' })])
      expect((await shared.admin.get('/api/domains/account/99')).status).toBe(404)
      expect((await shared.admin.get('/api/domains/account/x')).status).toBe(400)
    })

    test('the primary domain stays, others go', async () => {
      expect((await shared.admin.del('/api/domains/1')).status).toBe(409)
      const { body } = await shared.admin.get('/api/domains/account/1?q=blog')
      const { id } = (body.data as { id: number }[])[0] ?? { id: 0 }
      expect((await shared.admin.del(`/api/domains/${id}`)).status).toBe(200)
      expect((await shared.admin.del(`/api/domains/${id}`)).status).toBe(404)
      expect((await shared.admin.del('/api/domains/x')).status).toBe(400)
    })

    test('role account handles its own domains only', async () => {
      const seen = (await bobby.get('/api/domains')).body.data as { account_id: number }[]
      expect(seen.every(({ account_id }) => account_id === 2)).toBe(true)
      expect((await bobby.get('/api/domains/account/1')).status).toBe(404)
      expect((await bobby.post('/api/domains', addon('mine.example'))).status).toBe(404)
      const foreign = await bobby.del('/api/domains/1')
      const unknown = await bobby.del('/api/domains/99999')
      expect(foreign.status).toBe(404)
      expect(foreign.body).toEqual(unknown.body)
      const own = await bobby.post(
        '/api/domains',
        addon('mine.example', { account_id: 2, document_root: '/home/bobby/mine' }),
      )
      expect(own.status).toBe(200)
      const { id } = own.body.data as { id: number }
      expect((await bobby.del(`/api/domains/${id}`)).status).toBe(200)
    })

    test('a name below which names belong to others is for an administrator to add', async () => {
      const wanted = addon('uk.com', {
        account_id: 2,
        document_root: '/home/bobby/sites/suffix',
      })
      const refused = await bobby.post('/api/domains', wanted)
      expect([refused.status, refused.body.error]).toEqual([
        403,
        expect.stringContaining('uk.com is a public suffix'),
      ])
      const added = await shared.admin.post('/api/domains', wanted)
      expect(added.status).toBe(200)
      expect(
        (await shared.admin.del(`/api/domains/${(added.body.data as { id: number }).id}`)).status,
      ).toBe(200)
    })

    test('a wildcard is below a name of its account, and all below it is of that account', async () => {
      const add = async (name: string, domain_type = 'subdomain') => {
        const wanted = addon(name, { domain_type, document_root: '/home/alice/sites/wild' })
        const { status, body } = await shared.admin.post('/api/domains', wanted)
        return { status, error: body.error ?? '', id: (body.data as { id?: number })?.id ?? 0 }
      }
      const bobbys = (name: string) =>
        bobby.post(
          '/api/domains',
          addon(name, { account_id: 2, document_root: '/home/bobby/sites/w' }),
        )
      const parent = await add('wild.example', 'addon')
      expect(parent.error).toBe('')
      const refused: [string, string, number, string][] = [
        ['*.wild.example', 'addon', 400, 'domain_type'],
        ['*.elsewhere.example', 'subdomain', 400, 'not below a domain of alice'],
        ['*.elsewhere.example', 'alias', 400, 'not below a domain of alice'],
        ['*.bobby.example', 'subdomain', 409, 'another account'],
        ['*.sub.bobby.example', 'alias', 409, 'another account'],
        ['*.co.uk', 'subdomain', 400, 'public suffix'],
        ['*.uk.com', 'subdomain', 400, 'public suffix'],
        ['*.github.io', 'alias', 400, 'public suffix'],
        ['*.*.wild.example', 'subdomain', 400, 'domain_name'],
      ]
      for (const [name, type, status, words] of refused) {
        const answer = await add(name, type)
        expect([name, answer.status, answer.error]).toEqual([
          name,
          status,
          expect.stringContaining(words),
        ])
      }
      const wild = await add('*.Wild.Example')
      expect(wild.error).toBe('')
      expect((await add('*.wild.example')).status).toBe(409)
      const below = await add('one.wild.example')
      expect(below.status).toBe(200)
      const order = { domain: '*.wild.example' }
      const certificate = await shared.admin.post('/api/ssl/provision', order)
      expect([certificate.status, certificate.body.error]).toEqual([
        400,
        expect.stringContaining('DNS challenge'),
      ])
      // Also where the name above is gone.
      for (const { id } of [below, parent])
        expect((await shared.admin.del(`/api/domains/${id}`)).status).toBe(200)
      for (const name of ['x.wild.example', 'x.y.wild.example', 'wild.example'])
        expect([name, (await bobbys(name)).status]).toEqual([name, 409])
      expect((await shared.admin.del(`/api/domains/${wild.id}`)).status).toBe(200)
      const own = await bobbys('wild.example')
      expect(own.status).toBe(200)
      const { id } = own.body.data as { id: number }
      expect((await bobby.del(`/api/domains/${id}`)).status).toBe(200)
    })

    test('an administrator says which one site answers at names of nobody', async () => {
      const change = (client: ApiClient, id: number, default_host: boolean) =>
        client.send('PATCH', `/api/domains/${id}`, { default_host })
      const bobbys = ((await bobby.get('/api/domains')).body.data as { id: number }[])[0]?.id ?? 0
      expect((await change(bobby, bobbys, true)).status).toBe(403)
      const made = await change(shared.admin, 1, true)
      expect([made.status, made.body.data]).toEqual([
        200,
        expect.objectContaining({ default_host: true }),
      ])
      const second = await change(shared.admin, bobbys, true)
      expect([second.status, second.body.error]).toEqual([
        409,
        expect.stringContaining('alice.example'),
      ])
      expect((await change(shared.admin, 1, false)).status).toBe(200)
      expect((await change(shared.admin, bobbys, true)).status).toBe(200)
      expect((await change(bobby, bobbys, false)).status).toBe(403)
      expect((await change(shared.admin, bobbys, false)).status).toBe(200)
    })

    test('the limit counts all accounts together', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          shared.admin.post('/api/domains', addon(`extra${index}.example`)),
        ),
      )
      const all = await shared.admin.get('/api/domains')
      expect(all.body.data).toHaveLength(10)
      const refused = answers.filter(({ status }) => status === 403)
      expect(refused.length).toBeGreaterThan(0)
      for (const { body } of refused) {
        expect(body.error).toBe('Domain limit reached (10/10). Upgrade your license for more.')
      }
      const account = await shared.admin.post('/api/accounts', {
        username: 'late1',
        domain: 'late.example',
        email: 'a@b.example',
        password: 'long enough',
        plan: 'free',
      })
      expect(account.status).toBe(403)
      expect(account.body.error).toBe(
        'Domain limit reached (10/10). Upgrade your license for more.',
      )
    })

    test('a suspended account gets no new domain', async () => {
      await shared.admin.post('/api/accounts/2/suspend')
      const answer = await shared.admin.post(
        '/api/domains',
        addon('y.example', { account_id: 2, document_root: '/home/bobby/y' }),
      )
      expect(answer.status).toBe(409)
    })
  })
}
