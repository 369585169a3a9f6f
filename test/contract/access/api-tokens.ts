import { expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { Shared } from '../frame/api-suite.ts'
import { apiGroup } from '../frame/api-suite.ts'

interface Token {
  id: number
  token: string
  [field: string]: unknown
}

const make = async (client: ApiClient, input: Record<string, unknown>): Promise<Token> => {
  const { status, body } = await client.post('/api/tokens', {
    name: 'ci',
    scopes: ['read'],
    ...input,
  })
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`)
  return body.data as Token
}
const bearer = (shared: Shared, { token }: Token): ApiClient => apiClient(shared.instance, token)

/** API tokens. */
export const tokensContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('API tokens', makeInstance, (shared) => {
    test('a token changes no password, whatever its scopes', async () => {
      const { id } = await createAccount(shared.admin, 'keeper')
      const made = await make(shared.admin, { name: 'passwords', scopes: ['read', 'write'] })
      const token = bearer(shared, made)
      const change = (body: object) => token.send('PATCH', `/api/accounts/${id}`, body)
      expect((await change({ password: 'another one' })).status).toBe(403)
      expect((await change({ email: 'new@mail.example' })).status).toBe(200)
      await accountClient(shared.instance, 'keeper')
      expect((await shared.admin.del(`/api/tokens/${made.id}`)).status).toBe(200)
    })

    test.each([
      ['name', { name: undefined }],
      ['name', { name: '' }],
      ['name', { name: ' x' }],
      ['name', { name: 'x'.repeat(65) }],
      ['scopes', { scopes: undefined }],
      ['scopes', { scopes: 'read' }],
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: ['admin'] }],
      ['expires_at', { expires_at: 'tomorrow' }],
      ['expires_at', { expires_at: '2030-02-30 00:00:00' }],
      ['expires_at', { expires_at: '2020-01-01 00:00:00' }],
      ['account_id', { account_id: 'x' }],
    ])('create names the bad field %s of %j', async (field, change) => {
      const answer = await shared.admin.post('/api/tokens', {
        name: 'ci',
        scopes: ['read'],
        ...change,
      })
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-error-field')?.split('.')[0]).toBe(field)
    })

    test('is shown once, and afterwards only described', async () => {
      const made = await make(shared.admin, { name: 'once', scopes: ['read', 'cache', 'read'] })
      expect(made.token).toMatch(/^berth_[\w-]{43}$/)
      expect(made).toMatchObject({
        name: 'once',
        owner: 'boss',
        role: 'admin',
        account_id: null,
        scopes: ['read', 'cache'],
      })
      const list = await shared.admin.get('/api/tokens')
      expect(list.body.data).toEqual([
        {
          id: made.id,
          name: 'once',
          role: 'admin',
          owner: 'boss',
          account_id: null,
          scopes: ['read', 'cache'],
          expires_at: null,
          last_used_at: null,
          created_at: expect.any(String),
        },
      ])
      const twin = await shared.admin.post('/api/tokens', { name: 'once', scopes: ['read'] })
      expect([twin.status, twin.headers.get('x-error-field')]).toEqual([409, 'name'])
    })

    test('is a Bearer token, not a cookie, and nothing but itself', async () => {
      const made = await make(shared.admin, { name: 'bearer' })
      expect((await bearer(shared, made).get('/api/auth/me')).body.data).toEqual({
        username: 'boss',
        role: 'admin',
        account_id: null,
      })
      const cookie = { cookie: `panel_token=${made.token}` }
      expect((await shared.instance.fetch('/api/auth/me', { headers: cookie })).status).toBe(401)
      for (const token of [
        made.token.slice(0, -1),
        `${made.token}x`,
        made.token.toUpperCase(),
        made.token.replace('berth_', ''),
        `berth_${'A'.repeat(43)}`,
        'berth_',
      ]) {
        expect((await apiClient(shared.instance, token).get('/api/auth/me')).status).toBe(401)
      }
      await expect
        .poll(async () => {
          const { body } = await shared.admin.get('/api/tokens?q=bearer')
          return (body.data as { last_used_at: string | null }[])[0]?.last_used_at
        })
        .toMatch(/^\d{4}-/)
    })

    test('its scopes are kept', async () => {
      const read = bearer(shared, await make(shared.admin, { name: 'r', scopes: ['read'] }))
      const write = bearer(shared, await make(shared.admin, { name: 'w', scopes: ['write'] }))
      const cache = bearer(shared, await make(shared.admin, { name: 'c', scopes: ['cache'] }))
      const statuses = async (client: ApiClient) => [
        (await client.get('/api/accounts')).status,
        (await client.post('/api/veloserve/reload')).status,
        // A GET that changes something.
        (await client.get('/api/ssl/renew/nowhere.example')).status,
      ]
      expect(await statuses(read)).toEqual([200, 403, 403])
      expect(await statuses(write)).toEqual([403, 200, 404])
      expect(await statuses(cache)).toEqual([403, 403, 403])
    })

    test('never gives more than it has: no users, passwords, second factors, tokens, logins', async () => {
      const all = bearer(
        shared,
        await make(shared.admin, { name: 'all', scopes: ['read', 'write', 'cache'] }),
      )
      const { id } = await createAccount(shared.admin, 'victim')
      for (const [method, path, body] of [
        ['POST', '/api/tokens', { name: 'more', scopes: ['write'] }],
        ['DELETE', '/api/tokens/1', undefined],
        ['POST', '/api/users', { username: 'mallory', password: 'long enough' }],
        ['PATCH', '/api/users/1', { username: 'renamed' }],
        ['DELETE', '/api/users/1', undefined],
        ['POST', '/api/auth/password', { current_password: 'x', new_password: 'long enough' }],
        ['POST', '/api/auth/totp', { password: 'x' }],
        ['POST', '/api/auth/totp/confirm', { code: '123456' }],
        ['DELETE', '/api/auth/totp', { password: 'x', code: '1' }],
        ['DELETE', `/api/accounts/${id}/totp`, undefined],
        ['POST', `/api/accounts/${id}/login`, undefined],
      ] as const) {
        const answer = await all.send(method, path, body)
        expect([method, path, answer.status]).toEqual([method, path, 403])
      }
      expect((await all.get('/api/users')).status).toBe(200)
    })

    test('ends when it is revoked; logging out with it ends nothing', async () => {
      const made = await make(shared.admin, { name: 'revoked' })
      const client = bearer(shared, made)
      expect((await client.post('/api/auth/logout')).status).toBe(200)
      expect((await client.get('/api/auth/me')).status).toBe(200)
      expect((await shared.admin.del(`/api/tokens/${made.id}`)).body.data).toEqual({
        id: made.id,
        deleted: true,
      })
      expect((await client.get('/api/auth/me')).status).toBe(401)
      expect((await shared.admin.del(`/api/tokens/${made.id}`)).status).toBe(404)
      expect((await shared.admin.del('/api/tokens/x')).status).toBe(400)
    })

    test('nobody without a token', async () => {
      const nobody = apiClient(shared.instance)
      expect((await nobody.get('/api/tokens')).status).toBe(401)
      expect((await nobody.post('/api/tokens', { name: 'x', scopes: ['read'] })).status).toBe(401)
      expect((await nobody.del('/api/tokens/1')).status).toBe(401)
    })
  })

  apiGroup('API tokens of accounts', makeInstance, (shared) => {
    test('are the account’s own: seen, used and revoked by it alone, or by an administrator', async () => {
      const { id } = await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
      const alice = await accountClient(shared.instance, 'alice')
      const bobby = await accountClient(shared.instance, 'bobby')
      const own = await make(alice, { scopes: ['read', 'write'] })
      expect(own).toMatchObject({ owner: 'alice', role: 'account', account_id: id })
      const admins = await make(shared.admin, { name: 'of the admin' })
      expect((await bobby.get('/api/tokens')).body.data).toEqual([])
      for (const foreign of [own.id, admins.id]) {
        const answer = await bobby.del(`/api/tokens/${foreign}`)
        expect(answer.status).toBe(404)
        expect(answer.body).toEqual((await bobby.del('/api/tokens/9999')).body)
      }
      expect(
        (await bobby.post('/api/tokens', { name: 'x', scopes: ['read'], account_id: id })).status,
      ).toBe(404)
      const client = bearer(shared, own)
      expect((await client.get('/api/auth/me')).body.data).toEqual({
        username: 'alice',
        role: 'account',
        account_id: id,
        member: 'owner',
      })
      expect((await client.get('/api/system/info')).status).toBe(403)
      expect((await client.get('/api/accounts/2')).status).toBe(404)
      const given = await make(shared.admin, { name: 'given', account_id: id })
      expect(given).toMatchObject({ owner: 'alice', account_id: id })
      expect((await alice.get('/api/tokens')).body.data).toHaveLength(2)
      expect((await shared.admin.get('/api/tokens')).body.data).toHaveLength(3)
      expect(
        (await shared.admin.post('/api/tokens', { name: 'x', scopes: ['read'], account_id: 99 }))
          .status,
      ).toBe(404)
      expect((await alice.del(`/api/tokens/${given.id}`)).status).toBe(200)
    })

    test('end with the suspension of the account, and go with it', async () => {
      const { id } = await createAccount(shared.admin, 'carol')
      const client = bearer(shared, await make(await accountClient(shared.instance, 'carol'), {}))
      const me = async () => (await client.get('/api/auth/me')).status
      expect(await me()).toBe(200)
      await shared.admin.post(`/api/accounts/${id}/suspend`)
      expect(await me()).toBe(401)
      expect(
        (await shared.admin.post('/api/tokens', { name: 'x', scopes: ['read'], account_id: id }))
          .status,
      ).toBe(409)
      await shared.admin.post(`/api/accounts/${id}/unsuspend`)
      expect(await me()).toBe(401)
      const later = bearer(shared, await make(await accountClient(shared.instance, 'carol'), {}))
      expect((await later.get('/api/auth/me')).status).toBe(200)
      await shared.admin.del(`/api/accounts/${id}`)
      expect((await later.get('/api/auth/me')).status).toBe(401)
      expect((await shared.admin.get('/api/tokens?sort=name')).body.data).not.toContainEqual(
        expect.objectContaining({ account_id: id }),
      )
    })

    test('of an administrator end with its locking, and go with it', async () => {
      const user = { username: 'second', password: 'another good one' }
      const { id } = (await shared.admin.post('/api/users', user)).body.data as { id: number }
      const session = apiClient(shared.instance)
      session.token = (
        (await session.post('/api/auth/login', user)).body.data as { token: string }
      ).token
      const client = bearer(shared, await make(session, {}))
      const me = async () => (await client.get('/api/auth/me')).status
      expect(await me()).toBe(200)
      await shared.admin.send('PATCH', `/api/users/${id}`, { status: 'locked' })
      expect(await me()).toBe(401)
      await shared.admin.send('PATCH', `/api/users/${id}`, { status: 'active' })
      expect(await me()).toBe(401)
      session.token = (
        (await session.post('/api/auth/login', user)).body.data as { token: string }
      ).token
      const later = bearer(shared, await make(session, {}))
      expect((await later.get('/api/auth/me')).status).toBe(200)
      await shared.admin.del(`/api/users/${id}`)
      expect((await later.get('/api/auth/me')).status).toBe(401)
    })
  })
}
