import { expect, test } from 'vitest'
import type { AccountData, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount, newAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const STAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

const badInputs: [string, Record<string, unknown>][] = [
  ['username', { username: undefined }],
  ['username', { username: 'ab' }],
  ['username', { username: 'a'.repeat(17) }],
  ['username', { username: 'with space' }],
  ['username', { username: '-alice' }],
  ['username', { username: '123456' }],
  ['username', { username: 'root' }],
  ['username', { username: 'MySQL' }],
  ['username', { username: 'al\u0131ce' }],
  ['username', { username: 'a;id' }],
  ['domain', { domain: undefined }],
  ['domain', { domain: 'localhost' }],
  ['domain', { domain: '127.0.0.1' }],
  ['domain', { domain: '0x7f.1' }],
  ['domain', { domain: '*.example.com' }],
  ['domain', { domain: 'exa mple.com' }],
  ['domain', { domain: 'a.com\nb.com' }],
  ['domain', { domain: 'a.com;' }],
  ['domain', { domain: 'co.uk' }],
  ['domain', { domain: `${'a'.repeat(64)}.com` }],
  ['domain', { domain: `${'a.'.repeat(127)}com` }],
  ['email', { email: 'nobody' }],
  ['email', { email: 'a@b\n.com' }],
  ['email', { email: undefined }],
  ['password', { password: 'short' }],
  ['password', { password: 'line\nbreak!' }],
  ['password', { password: undefined }],
  ['plan', { plan: 'gold' }],
  ['plan', { plan: undefined }],
  ['disk_quota_mb', { disk_quota_mb: -1 }],
]

/** Hosting accounts. */
export const accountsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('accounts: input', makeInstance, (shared) => {
    test.each(badInputs)('create names the bad field %s of %j', async (field, change) => {
      const answer = await shared.admin.post('/api/accounts', { ...newAccount('alice'), ...change })
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual({ ok: false, error: expect.stringContaining(field) })
      expect(answer.headers.get('x-error-field')).toBe(field)
    })

    test('nothing of all that was stored', async () => {
      expect((await shared.admin.get('/api/accounts')).body).toEqual({ ok: true, data: [] })
      expect((await shared.admin.get('/api/domains')).body).toEqual({ ok: true, data: [] })
    })

    test('extra fields change nothing', async () => {
      const body = JSON.stringify(newAccount('alice')).replace(
        '{',
        '{"__proto__":{"role":"admin"},"status":"suspended","id":99,"role":"admin",',
      )
      const answer = await shared.admin.post('/api/accounts', body)
      expect(answer.body.data).toMatchObject({ id: 1, status: 'active' })
    })
  })

  apiGroup('accounts', makeInstance, (shared) => {
    test('create answers the account', async () => {
      const answer = await shared.admin.post('/api/accounts', {
        ...newAccount('Alice', 'ALICE.Example.'),
        plan: 'free',
      })
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual({
        id: 1,
        username: 'alice',
        primary_domain: 'alice.example',
        email: 'Alice@mail.example',
        plan: 'free',
        status: 'active',
        suspend_reason: null,
        reseller_id: null,
        host_id: expect.any(Number) as unknown,
        disk_quota_mb: 500,
        bandwidth_quota_mb: 10_000,
        disk_used_mb: 0,
        bandwidth_used_mb: 0,
        home: '/home/alice',
        created_at: expect.stringMatching(STAMP),
        updated_at: expect.stringMatching(STAMP),
      })
    })

    test('plans set the quotas, the body may override them', async () => {
      const pro = await shared.admin.post('/api/accounts', { ...newAccount('bob22'), plan: 'pro' })
      expect(pro.body.data).toMatchObject({ disk_quota_mb: 5000, bandwidth_quota_mb: 100_000 })
      const big = await shared.admin.post('/api/accounts', {
        ...newAccount('carol'),
        plan: 'business',
        disk_quota_mb: 500_000,
        bandwidth_quota_mb: 10_000_000,
      })
      expect(big.body.data).toMatchObject({
        disk_quota_mb: 500_000,
        bandwidth_quota_mb: 10_000_000,
      })
    })

    test('the primary domain is there', async () => {
      const { body } = await shared.admin.get('/api/domains/account/1')
      expect(body.data).toEqual([
        expect.objectContaining({
          account_id: 1,
          username: 'alice',
          domain_name: 'alice.example',
          domain_type: 'primary',
          document_root: '/home/alice/public_html',
          ssl_status: 'none',
        }),
      ])
    })

    test.each([
      ['the same username', newAccount('alice', 'new.example')],
      ['a case twin', newAccount('ALICE', 'new.example')],
      ['a user of the system', newAccount('osuser', 'new.example')],
      ['the administrator', newAccount('boss', 'new.example')],
      ['the same domain', newAccount('dave1', 'alice.example')],
      ['a child of a foreign domain', newAccount('dave1', 'shop.alice.example')],
      ['its www name', newAccount('dave1', 'www.alice.example')],
    ])('%s is 409', async (_, input) => {
      const before = (await shared.admin.get('/api/accounts')).body.data
      const answer = await shared.admin.post('/api/accounts', input)
      expect(answer.status).toBe(409)
      expect(answer.body.ok).toBe(false)
      expect((await shared.admin.get('/api/accounts')).body.data).toEqual(before)
    })

    test('list has order, search and pages', async () => {
      const names = async (query: string) => {
        const answer = await shared.admin.get(`/api/accounts${query}`)
        return {
          names: (answer.body.data as AccountData[]).map(({ username }) => username),
          total: answer.headers.get('x-total-count'),
        }
      }
      expect((await names('')).names).toEqual(['alice', 'bob22', 'carol'])
      expect((await names('?sort=username&order=desc')).names).toEqual(['carol', 'bob22', 'alice'])
      expect(await names('?page=2&per_page=2')).toEqual({ names: ['carol'], total: '3' })
      expect(await names('?q=BOB&per_page=1')).toEqual({ names: ['bob22'], total: '1' })
      expect((await names('?q=%25')).names).toEqual([])
      for (const bad of [
        '?page=0',
        '?per_page=x',
        '?per_page=501',
        '?sort=password_hash',
        '?order=up',
      ]) {
        expect((await shared.admin.get(`/api/accounts${bad}`)).status).toBe(400)
      }
    })

    test('get answers one, 404 and 400', async () => {
      expect((await shared.admin.get('/api/accounts/1')).body.data).toMatchObject({ id: 1 })
      expect((await shared.admin.get('/api/accounts/999')).status).toBe(404)
      for (const bad of ['0', '-1', 'x', '1e3', '99999999999999999999']) {
        expect((await shared.admin.get(`/api/accounts/${bad}`)).status).toBe(400)
      }
      expect((await shared.admin.get('/api/accounts/%ff')).status).toBe(400)
    })

    test('suspension closes the account, lifting opens it again', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/auth/me')).status).toBe(200)
      const suspended = await shared.admin.post('/api/accounts/1/suspend', { reason: 'unpaid' })
      expect(suspended.body.data).toMatchObject({ status: 'suspended', suspend_reason: 'unpaid' })
      expect((await alice.get('/api/auth/me')).status).toBe(401)
      await expect(accountClient(shared.instance, 'alice')).rejects.toThrow('login failed')
      expect((await shared.admin.post('/api/accounts/1/suspend')).status).toBe(409)
      const lifted = await shared.admin.post('/api/accounts/1/unsuspend')
      expect(lifted.body.data).toMatchObject({ status: 'active', suspend_reason: null })
      expect((await shared.admin.post('/api/accounts/1/unsuspend')).status).toBe(409)
      // The old token stays void, a new one works at once.
      expect((await alice.get('/api/auth/me')).status).toBe(401)
      const again = await accountClient(shared.instance, 'alice')
      expect((await again.get('/api/auth/me')).status).toBe(200)
      for (const path of ['/api/accounts/999/suspend', '/api/accounts/999/unsuspend']) {
        expect((await shared.admin.post(path)).status).toBe(404)
      }
    })

    test('role account sees itself and nothing of others', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/accounts')).body.data).toEqual([
        expect.objectContaining({ id: 1 }),
      ])
      expect((await alice.get('/api/accounts/1')).status).toBe(200)
      expect((await alice.get('/api/accounts/2')).status).toBe(404)
      expect((await alice.post('/api/accounts', newAccount('eve11'))).status).toBe(403)
      expect((await alice.post('/api/accounts/1/suspend')).status).toBe(403)
      expect((await alice.del('/api/accounts/1')).status).toBe(403)
    })

    test('delete removes account, domains and databases', async () => {
      const account = await createAccount(shared.admin, 'gone1')
      await shared.admin.post('/api/databases', {
        account_id: account.id,
        db_name: 'shop',
        db_password: 'long enough',
      })
      const gone = await accountClient(shared.instance, 'gone1')
      expect((await shared.admin.del(`/api/accounts/${account.id}`)).status).toBe(200)
      expect((await shared.admin.get(`/api/accounts/${account.id}`)).status).toBe(404)
      expect((await shared.admin.del(`/api/accounts/${account.id}`)).status).toBe(404)
      expect((await shared.admin.get(`/api/domains/account/${account.id}`)).status).toBe(404)
      expect((await gone.get('/api/auth/me')).status).toBe(401)
      const again = await createAccount(shared.admin, 'gone1')
      expect(again.id).toBeGreaterThan(account.id)
      expect((await shared.admin.get(`/api/databases/${again.id}`)).body.data).toEqual([])
      await shared.admin.del(`/api/accounts/${again.id}`)
    })

    test('everything needs a token', async () => {
      const nobody = apiClient(shared.instance)
      for (const [method, path] of [
        ['GET', '/api/accounts'],
        ['POST', '/api/accounts'],
        ['GET', '/api/accounts/1'],
        ['DELETE', '/api/accounts/1'],
        ['POST', '/api/accounts/1/suspend'],
        ['POST', '/api/accounts/1/unsuspend'],
      ] as const) {
        expect((await nobody.send(method, path)).status).toBe(401)
      }
    })
  })

  apiGroup('accounts: limits', makeInstance, (shared) => {
    test('parallel creations stop exactly at the tier, with the promised text', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          shared.admin.post('/api/accounts', newAccount(`user${index}`)),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
      const refused = answers.filter(({ status }) => status !== 200)
      for (const { status, body } of refused) {
        expect(status).toBe(403)
        expect(body.error).toBe('Account limit reached (5/5). Upgrade your license for more.')
      }
      expect((await shared.admin.get('/api/domains')).body.data).toHaveLength(5)
    })
  })
}
