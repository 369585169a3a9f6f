import { expect, test } from 'vitest'
import type { ApiInstance, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, ADMIN, apiClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const SECOND = { username: 'second', password: 'another good one' }

interface User {
  id: number
  username: string
  status: string
}

const login = async (instance: ApiInstance, user: { username: string; password: string }) => {
  const client = apiClient(instance)
  const { status, body } = await client.post('/api/auth/login', user)
  client.token = status === 200 ? (body.data as { token: string }).token : null
  return { client, status }
}

/** Administrators, and changing passwords. */
export const usersContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('users: input', makeInstance, (shared) => {
    test.each([
      ['username', { password: 'long enough' }],
      ['username', { username: 'ab', password: 'long enough' }],
      ['username', { username: ' abc', password: 'long enough' }],
      ['username', { username: 'a\nb c', password: 'long enough' }],
      ['username', { username: 'x'.repeat(65), password: 'long enough' }],
      ['username', { username: 7, password: 'long enough' }],
      ['password', { username: 'third' }],
      ['password', { username: 'third', password: 'short' }],
      ['password', { username: 'third', password: 'line\nbreak!' }],
    ])('create names the bad field %s of %j', async (field, input) => {
      const answer = await shared.admin.post('/api/users', input)
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
    })

    test.each([
      ['username', { username: 'ab' }],
      ['password', { password: 'short' }],
      ['status', { status: 'gone' }],
      ['second_factor', { second_factor: true }],
    ])('change names the bad field %s of %j', async (field, input) => {
      const answer = await shared.admin.send('PATCH', '/api/users/1', input)
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
    })

    test('an id that is none, or nobody’s', async () => {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? {} : undefined
        expect((await shared.admin.send(method, '/api/users/x', body)).status).toBe(400)
        expect((await shared.admin.send(method, '/api/users/99', body)).status).toBe(404)
      }
    })

    test('nobody was created, and the one there is stays', async () => {
      expect((await shared.admin.get('/api/users')).body.data).toEqual([
        {
          id: 1,
          username: ADMIN.username,
          role: 'admin',
          status: 'active',
          second_factor: false,
          created_at: expect.any(String),
        },
      ])
    })
  })

  apiGroup('users', makeInstance, (shared) => {
    const own = () => shared.admin.get('/api/users/1')
    const create = async (username: string): Promise<User> => {
      const { status, body } = await shared.admin.post('/api/users', { ...SECOND, username })
      expect(status).toBe(200)
      return body.data as User
    }

    test('another administrator is created, listed, and logs in', async () => {
      const made = await create(SECOND.username)
      expect(made).toMatchObject({ username: 'second', status: 'active' })
      expect(JSON.stringify(made)).not.toMatch(/hash|password/)
      const list = await shared.admin.get('/api/users?sort=username&order=desc&per_page=1')
      expect((list.body.data as User[]).map(({ username }) => username)).toEqual(['second'])
      expect(list.headers.get('x-total-count')).toBe('2')
      const { client } = await login(shared.instance, SECOND)
      expect((await client.get('/api/accounts')).status).toBe(200)
    })

    test('a name that an administrator or an account has is 409, in whatever case', async () => {
      await createAccount(shared.admin, 'alice')
      for (const username of ['second', 'SECOND', 'Boss', 'alice', 'Alice']) {
        const answer = await shared.admin.post('/api/users', { ...SECOND, username })
        expect([username, answer.status]).toEqual([username, 409])
        const renamed = await shared.admin.send('PATCH', '/api/users/2', { username })
        expect([username, renamed.status]).toEqual([
          username,
          username.toLowerCase() === 'second' ? 200 : 409,
        ])
      }
      expect(
        (await shared.admin.send('PATCH', '/api/users/2', { username: 'second' })).status,
      ).toBe(200)
    })

    test('nobody deletes, locks or overwrites themselves', async () => {
      expect((await shared.admin.del('/api/users/1')).status).toBe(409)
      for (const change of [
        { status: 'locked' },
        { password: 'brand new one' },
        { second_factor: false },
      ]) {
        expect((await shared.admin.send('PATCH', '/api/users/1', change)).status).toBe(409)
      }
      expect((await own()).body.data).toMatchObject({ status: 'active' })
    })

    test('a locked administrator is out at once, and in again after unlocking', async () => {
      const { client } = await login(shared.instance, SECOND)
      const change = (status: string) => shared.admin.send('PATCH', '/api/users/2', { status })
      expect((await change('locked')).body.data).toMatchObject({ status: 'locked' })
      expect((await client.get('/api/auth/me')).status).toBe(401)
      expect((await login(shared.instance, SECOND)).status).toBe(401)
      expect((await change('active')).status).toBe(200)
      // A session of before the lock stays void.
      expect((await client.get('/api/auth/me')).status).toBe(401)
      expect((await login(shared.instance, SECOND)).status).toBe(200)
    })

    test('a new password set by another administrator ends the sessions', async () => {
      const { client } = await login(shared.instance, SECOND)
      const next = { ...SECOND, password: 'set by the other' }
      const { status } = await shared.admin.send('PATCH', '/api/users/2', {
        password: next.password,
      })
      expect(status).toBe(200)
      expect((await client.get('/api/auth/me')).status).toBe(401)
      expect((await login(shared.instance, SECOND)).status).toBe(401)
      const again = await login(shared.instance, next)
      expect((await again.client.get('/api/auth/me')).status).toBe(200)
    })

    test('a deleted administrator is out at once', async () => {
      const { id } = await create('leaver')
      const { client } = await login(shared.instance, { ...SECOND, username: 'leaver' })
      expect((await client.get('/api/auth/me')).status).toBe(200)
      expect((await shared.admin.del(`/api/users/${id}`)).body.data).toEqual({ id, deleted: true })
      expect((await client.get('/api/auth/me')).status).toBe(401)
      expect((await shared.admin.del(`/api/users/${id}`)).status).toBe(404)
    })

    test('of administrators who delete each other at once, one stays', async () => {
      for (const { id } of (await shared.admin.get('/api/users')).body.data as User[]) {
        if (id > 1) await shared.admin.del(`/api/users/${id}`)
      }
      const { id } = await create('rival')
      const rival = await login(shared.instance, { ...SECOND, username: 'rival' })
      const answers = await Promise.all([
        shared.admin.del(`/api/users/${id}`),
        rival.client.del('/api/users/1'),
        shared.admin.send('PATCH', `/api/users/${id}`, { status: 'locked' }),
        rival.client.send('PATCH', '/api/users/1', { status: 'locked' }),
      ])
      expect(answers.some(({ status }) => status === 200)).toBe(true)
      const logins = [
        await login(shared.instance, ADMIN),
        await login(shared.instance, { ...SECOND, username: 'rival' }),
      ]
      expect(logins.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    })
  })

  apiGroup('users: accounts keep out', makeInstance, (shared) => {
    test('no role but admin, and nobody without a token', async () => {
      await createAccount(shared.admin, 'alice')
      const alice = await accountClient(shared.instance, 'alice')
      for (const [method, path, body] of [
        ['GET', '/api/users'],
        ['POST', '/api/users', SECOND],
        ['GET', '/api/users/1'],
        ['PATCH', '/api/users/1', { status: 'locked' }],
        ['DELETE', '/api/users/1'],
      ] as const) {
        expect((await alice.send(method, path, body)).status).toBe(403)
        expect((await apiClient(shared.instance).send(method, path, body)).status).toBe(401)
      }
    })
  })

  apiGroup('own password', makeInstance, (shared) => {
    const change = (client: ReturnType<typeof apiClient>, current: string, next: unknown) =>
      client.post('/api/auth/password', { current_password: current, new_password: next })

    test('names what is wrong', async () => {
      const { client } = await login(shared.instance, ADMIN)
      const short = await change(client, ADMIN.password, 'short')
      expect([short.status, short.headers.get('x-error-field')]).toEqual([400, 'new_password'])
      const without = await client.post('/api/auth/password', { new_password: 'long enough' })
      expect([without.status, without.headers.get('x-error-field')]).toEqual([
        400,
        'current_password',
      ])
      const wrong = await change(client, 'not the password', 'long enough')
      expect([wrong.status, wrong.headers.get('x-error-field')]).toEqual([403, 'current_password'])
      expect((await change(apiClient(shared.instance), 'x', 'long enough')).status).toBe(401)
    })

    test('an administrator changes it: other sessions end, the answer is a new one', async () => {
      const one = await login(shared.instance, ADMIN)
      const two = await login(shared.instance, ADMIN)
      const answer = await change(one.client, ADMIN.password, 'a better password')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('set-cookie')).toContain('panel_token=')
      const fresh = apiClient(shared.instance, (answer.body.data as { token: string }).token)
      expect((await fresh.get('/api/auth/me')).status).toBe(200)
      for (const old of [one.client, two.client, shared.admin]) {
        expect((await old.get('/api/auth/me')).status).toBe(401)
      }
      expect((await login(shared.instance, ADMIN)).status).toBe(401)
      // Changed again within the same second, the session of the first change ends too.
      const again = await change(fresh, 'a better password', ADMIN.password)
      expect(again.status).toBe(200)
      expect((await fresh.get('/api/auth/me')).status).toBe(401)
      shared.admin.token = (again.body.data as { token: string }).token
    })

    test('an account changes it, for the panel and the system', async () => {
      await createAccount(shared.admin, 'alice')
      const alice = await accountClient(shared.instance, 'alice')
      const answer = await change(alice, 'account password', 'a new one for alice')
      expect(answer.status).toBe(200)
      expect((await alice.get('/api/auth/me')).status).toBe(401)
      const user = { username: 'alice', password: 'a new one for alice' }
      expect((await login(shared.instance, user)).status).toBe(200)
      expect((await login(shared.instance, { ...user, password: 'account password' })).status).toBe(
        401,
      )
    })

    test('wrong guesses count as failed logins', async () => {
      const guess = () => change(shared.admin, 'a guess', 'long enough')
      const answers = []
      for (let at = 0; at < 6; at++) answers.push((await guess()).status)
      expect(answers.slice(-1)).toEqual([429])
      expect((await login(shared.instance, ADMIN)).status).toBe(429)
    })
  })

  apiGroup('login as an account', makeInstance, (shared) => {
    test('gives an hour as that account, which ends with the administrator’s rights', async () => {
      const { id } = await createAccount(shared.admin, 'alice')
      await shared.admin.post('/api/users', SECOND)
      const second = await login(shared.instance, SECOND)
      const answer = await second.client.post(`/api/accounts/${id}/login`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('set-cookie')).toContain('Max-Age=3600')
      const visitor = apiClient(shared.instance, (answer.body.data as { token: string }).token)
      expect((await visitor.get('/api/auth/me')).body.data).toEqual({
        username: 'alice',
        role: 'account',
        account_id: id,
        member: 'owner',
        acting_admin: 'second',
      })
      expect((await visitor.get('/api/users')).status).toBe(403)
      for (const [method, path, body] of [
        [
          'POST',
          '/api/auth/password',
          { current_password: 'account password', new_password: 'stolen it is' },
        ],
        ['POST', '/api/tokens', { name: 'way back', scopes: ['read'] }],
        ['POST', '/api/auth/totp', { password: 'account password' }],
      ] as const) {
        expect((await visitor.send(method, path, body)).status).toBe(403)
      }
      expect((await visitor.get('/api/domains')).status).toBe(200)
      expect((await shared.admin.send('PATCH', '/api/users/2', { status: 'locked' })).status).toBe(
        200,
      )
      expect((await visitor.get('/api/domains')).status).toBe(401)
    })

    test('not for accounts, not into a suspended one, not into none', async () => {
      const { id } = await createAccount(shared.admin, 'bobby')
      const bobby = await accountClient(shared.instance, 'bobby')
      expect((await bobby.post(`/api/accounts/1/login`)).status).toBe(403)
      await shared.admin.post(`/api/accounts/${id}/suspend`)
      expect((await shared.admin.post(`/api/accounts/${id}/login`)).status).toBe(409)
      expect((await shared.admin.post('/api/accounts/99/login')).status).toBe(404)
      expect((await shared.admin.post('/api/accounts/x/login')).status).toBe(400)
      expect((await apiClient(shared.instance).post('/api/accounts/1/login')).status).toBe(401)
    })
  })
}
