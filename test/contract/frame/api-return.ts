import { expect, test } from 'vitest'
import type { ApiClient, ApiInstance, MakeApiInstance } from './api-instance.ts'
import { accountClient, ADMIN, apiClient, createAccount } from './api-instance.ts'
import { apiGroup } from './api-suite.ts'

const SECOND = { username: 'second', password: 'another good one' }

const tokenOf = ({ body }: { body: { data?: unknown } }): string =>
  (body.data as { token: string }).token

const login = async (instance: ApiInstance, user = SECOND): Promise<ApiClient> =>
  apiClient(instance, tokenOf(await apiClient(instance).post('/api/auth/login', user)))

const claimsOf = (token: string | null): Record<string, unknown> =>
  JSON.parse(atob(token?.split('.')[1]?.replace(/-/g, '+').replace(/_/g, '/') ?? '')) as Record<
    string,
    unknown
  >

/** Returning from an account to the administrator who works as it. */
export const returnContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('return to the administrator', makeInstance, (shared) => {
    const visit = async (admin: ApiClient): Promise<ApiClient> =>
      apiClient(shared.instance, tokenOf(await admin.post('/api/accounts/1/login')))
    const mayReturn = async (visitor: ApiClient): Promise<number> =>
      (await visitor.post('/api/auth/return')).status
    const second = async (): Promise<ApiClient> => login(shared.instance)

    test('gives the session back, and the visit is over', async () => {
      await createAccount(shared.admin, 'alice')
      expect((await shared.admin.post('/api/users', SECOND)).status).toBe(200)
      const admin = await second()
      const visitor = await visit(admin)
      const answer = await visitor.post('/api/auth/return')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('set-cookie')).toMatch(/panel_token=.*HttpOnly/)
      expect(answer.body.data).toMatchObject({
        user: { username: 'second', role: 'admin', account_id: null },
      })
      const back = apiClient(shared.instance, tokenOf(answer))
      const me = await back.get('/api/auth/me')
      expect(me.body.data).toEqual({ username: 'second', role: 'admin', account_id: null })
      expect((await back.get('/api/users')).status).toBe(200)
      // The same session as before: no longer, and no further one.
      const [before, after] = [claimsOf(admin.token), claimsOf(back.token)]
      expect([after['jti'], after['exp'], after['act']]).toEqual([
        before['jti'],
        before['exp'],
        undefined,
      ])
      expect((await visitor.get('/api/domains')).status).toBe(401)
      expect(await mayReturn(visitor)).toBe(401)
    })

    test('a way for nobody else', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      expect(await mayReturn(alice)).toBe(409)
      expect(await mayReturn(shared.admin)).toBe(409)
      expect(await mayReturn(apiClient(shared.instance))).toBe(401)
      const made = await alice.post('/api/tokens', { name: 'robot', scopes: ['write'] })
      expect(await mayReturn(apiClient(shared.instance, tokenOf(made)))).toBe(409)
    })

    test('claims that nobody signed lead nowhere', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      const [head, , signature] = (alice.token ?? '').split('.')
      const forged = { ...claimsOf(alice.token), act: 'admin:1', act_jti: 'x', act_exp: 9999999999 }
      const payload = btoa(JSON.stringify(forged)).replace(/=+$/, '')
      expect(await mayReturn(apiClient(shared.instance, `${head}.${payload}.${signature}`))).toBe(
        401,
      )
    })

    test('by cookie only from the panel’s own page', async () => {
      const { token } = await visit(await second())
      const post = (headers: Record<string, string>) =>
        shared.instance.fetch('/api/auth/return', {
          method: 'POST',
          headers: { cookie: `panel_token=${token}`, ...headers },
        })
      for (const headers of [{}, { origin: 'https://evil.example' }] as Record<string, string>[])
        expect((await post(headers)).status).toBe(403)
      expect((await post({ 'x-requested-with': 'berth' })).status).toBe(200)
    })

    test('not once the administrator logged out', async () => {
      const admin = await second()
      const visitor = await visit(admin)
      await admin.post('/api/auth/logout')
      expect(await mayReturn(visitor)).toBe(401)
      expect((await visitor.get('/api/domains')).status).toBe(401)
    })

    test('logging out of the visit ends the administrator’s session with it', async () => {
      const admin = await second()
      const visitor = await visit(admin)
      expect((await visitor.post('/api/auth/logout')).status).toBe(200)
      expect(await mayReturn(visitor)).toBe(401)
      expect((await admin.get('/api/auth/me')).status).toBe(401)
    })

    test('logging out after the return ends what came before it', async () => {
      const admin = await second()
      const back = apiClient(
        shared.instance,
        tokenOf(await (await visit(admin)).post('/api/auth/return')),
      )
      await back.post('/api/auth/logout')
      expect((await admin.get('/api/auth/me')).status).toBe(401)
    })

    test('not once the password was changed', async () => {
      const admin = await second()
      const visitor = await visit(admin)
      const changed = await admin.post('/api/auth/password', {
        current_password: SECOND.password,
        new_password: 'a third good one',
      })
      expect(changed.status).toBe(200)
      expect(await mayReturn(visitor)).toBe(401)
      const again = apiClient(shared.instance, tokenOf(changed))
      await again.post('/api/auth/password', {
        current_password: 'a third good one',
        new_password: SECOND.password,
      })
    })

    test('not once the administrator was locked or deleted, also when unlocked again', async () => {
      const { body } = await shared.admin.get('/api/users?q=second')
      const { id } = (body.data as { id: number }[])[0] ?? { id: 0 }
      const visitor = await visit(await second())
      const set = (status: string) => shared.admin.send('PATCH', `/api/users/${id}`, { status })
      expect((await set('locked')).status).toBe(200)
      expect(await mayReturn(visitor)).toBe(401)
      expect((await set('active')).status).toBe(200)
      expect(await mayReturn(visitor)).toBe(401)
      const other = await visit(await second())
      expect((await shared.admin.del(`/api/users/${id}`)).status).toBe(200)
      expect(await mayReturn(other)).toBe(401)
    })

    test('not once the account was suspended: the visit is over then', async () => {
      const { body } = await apiClient(shared.instance).post('/api/auth/login', ADMIN)
      const visitor = await visit(apiClient(shared.instance, tokenOf({ body })))
      expect((await shared.admin.post('/api/accounts/1/suspend')).status).toBe(200)
      expect(await mayReturn(visitor)).toBe(401)
    })
  })
}
