import { beforeAll, expect, test } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const reader = (change: Record<string, unknown> = {}) => ({
  account_id: 1,
  name: 'reader',
  password: 'long enough',
  databases: [{ database: 'shop', rights: 'read' }],
  ...change,
})

const badInputs: [string, Record<string, unknown>][] = [
  ['account_id', { account_id: undefined }],
  ['name', { name: undefined }],
  ['name', { name: 'a%' }],
  ['name', { name: 'a'.repeat(33) }],
  ['password', { password: 'short' }],
  ['password', { password: undefined }],
  ['engine', { engine: 'oracle' }],
  ['databases', { databases: [] }],
  ['databases', { databases: undefined }],
  ['databases.0.rights', { databases: [{ database: 'shop', rights: 'owner' }] }],
  [
    'databases',
    {
      databases: [
        { database: 'shop', rights: 'read' },
        { database: 'alice_shop', rights: 'all' },
      ],
    },
  ],
]

/** Further users of databases. */
export const databaseUsersContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('further users of databases', makeInstance, (shared) => {
    const patch = (path: string, body: unknown) => shared.admin.send('PATCH', path, body)
    const users = () => shared.instance.host.databases.users

    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bob')
      for (const [account_id, db_name] of [
        [1, 'shop'],
        [1, 'blog'],
        [2, 'shop'],
      ])
        await shared.admin.post('/api/databases', {
          ...{ account_id, db_name },
          db_password: 'long enough',
        })
    })

    test.each(badInputs)('create names the bad field %s of %j', async (field, change) => {
      const answer = await shared.admin.post('/api/database-users', reader(change))
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
    })

    test('one is made, listed and not made twice', async () => {
      const made = await shared.admin.post('/api/database-users', reader())
      expect(made.body.data).toEqual({
        engine: 'mariadb',
        user: 'alice_reader',
        host: 'localhost',
        databases: [{ database: 'alice_shop', rights: 'read' }],
        created_at: expect.stringMatching(/^\d{4}-/),
      })
      const { body } = await shared.admin.get('/api/database-users/1')
      expect(body.data).toEqual([made.body.data])
      expect((await shared.admin.get('/api/database-users/2')).body.data).toEqual([])
      for (const name of ['reader', 'shop'])
        expect((await shared.admin.post('/api/database-users', reader({ name }))).status).toBe(409)
      const taken = { account_id: 1, db_name: 'x', db_user: 'reader', db_password: 'long enough' }
      expect((await shared.admin.post('/api/databases', taken)).status).toBe(409)
      for (const [change, status] of [
        [{ account_id: 99 }, 404],
        [{ databases: [{ database: 'none', rights: 'read' }] }, 404],
        [{ databases: [{ database: 'bob_shop', rights: 'read' }] }, 404],
        [{ engine: 'postgres' }, 404],
      ] as const)
        expect((await shared.admin.post('/api/database-users', reader(change))).status).toBe(status)
      expect(JSON.stringify(body)).not.toContain('long enough')
    })

    test('the list pages, sorts and filters', async () => {
      await shared.admin.post(
        '/api/database-users',
        reader({
          name: 'both',
          databases: ['shop', 'blog'].map((database) => ({ database, rights: 'write' })),
        }),
      )
      const names = async (query: string) =>
        (
          (await shared.admin.get(`/api/database-users/1?${query}`)).body.data as { user: string }[]
        ).map(({ user }) => user)
      expect(await names('sort=user&order=desc')).toEqual(['alice_reader', 'alice_both'])
      expect(await names('sort=databases&order=desc&per_page=1&page=1')).toEqual(['alice_both'])
      expect(await names('database=alice_blog')).toEqual(['alice_both'])
      expect(await names('engine=postgresql')).toEqual([])
      expect(await names('q=read')).toEqual(['alice_reader'])
      expect((await shared.admin.get('/api/database-users/1?sort=password')).status).toBe(400)
    })

    test('rights, password and name are changed, each alone or together', async () => {
      const path = '/api/database-users/1/reader'
      const all = [{ database: 'blog', rights: 'all' }]
      expect((await patch(path, { databases: all })).body.data).toMatchObject({
        databases: [{ database: 'alice_blog', rights: 'all' }],
      })
      expect(users().get('mariadb:alice_reader')?.grants).toEqual([
        { database: 'alice_blog', rights: 'all' },
      ])
      const renamed = await patch(path, { name: 'teller', password: 'another long one' })
      expect(renamed.body.data).toMatchObject({ user: 'alice_teller' })
      expect(users().get('mariadb:alice_teller')).toMatchObject({ password: 'another long one' })
      expect((await patch(path, { password: 'another long one' })).status).toBe(404)
      expect((await patch('/api/database-users/1/teller', { name: 'both' })).status).toBe(409)
      expect((await patch('/api/database-users/1/teller', {})).status).toBe(400)
      expect((await patch('/api/database-users/1/shop', { name: 'x' })).status).toBe(404)
    })

    test('the user that a database was made with gets another name', async () => {
      const path = '/api/databases/1/shop'
      const answer = await patch(path, { db_user: 'seller' })
      expect(answer.body.data).toEqual({
        ...{ engine: 'mariadb', database: 'alice_shop', user: 'alice_seller', host: 'localhost' },
      })
      expect(shared.instance.host.databases.made.get('mariadb:alice_shop')?.user).toBe(
        'alice_seller',
      )
      expect((await patch(path, { db_user: 'both' })).status).toBe(409)
      expect((await patch(path, { db_user: 'x y' })).headers.get('x-error-field')).toBe('db_user')
      expect((await patch(path, { db_user: 'shop', db_password: 'yet another' })).status).toBe(200)
    })

    test('what fails at the host leaves everything as it was', async () => {
      const { host } = shared.instance
      const fail = (method: string, when: 'before' | 'after') =>
        host.inject({ method, when, error: unavailable('Away.') })
      const before = (await shared.admin.get('/api/database-users/1')).body.data
      for (const when of ['before', 'after'] as const) {
        fail('databaseUsers.create', when)
        expect(
          (await shared.admin.post('/api/database-users', reader({ name: 'lost' }))).status,
        ).toBe(503)
        fail('databaseUsers.setGrants', when)
        expect(
          (
            await patch('/api/database-users/1/both', {
              databases: [{ database: 'shop', rights: 'read' }],
            })
          ).status,
        ).toBe(503)
        fail('databaseUsers.rename', when)
        expect((await patch('/api/database-users/1/both', { name: 'other' })).status).toBe(503)
        host.clearFaults()
      }
      expect((await shared.admin.get('/api/database-users/1')).body.data).toEqual(before)
      expect(users().has('mariadb:alice_lost')).toBe(false)
      expect(users().get('mariadb:alice_both')?.grants).toHaveLength(2)
      expect(users().has('mariadb:alice_other')).toBe(false)
    })

    test('an account has its own alone, as many as its plan allows', async () => {
      const bob = await accountClient(shared.instance, 'bob')
      expect((await bob.get('/api/database-users/1')).status).toBe(404)
      expect((await bob.post('/api/database-users', reader())).status).toBe(404)
      expect((await bob.send('PATCH', '/api/database-users/1/both', { name: 'x' })).status).toBe(
        404,
      )
      expect((await bob.del('/api/database-users/1/both')).status).toBe(404)
      await shared.admin.send('PATCH', '/api/plans/free', { database_users_limit: 1 })
      const own = reader({ account_id: 2 })
      expect((await bob.post('/api/database-users', own)).status).toBe(200)
      const over = await bob.post('/api/database-users', { ...own, name: 'more' })
      expect(over.status).toBe(403)
      expect(over.body.error).toContain('has 1 of the 1 database users')
      expect(
        (await shared.admin.post('/api/database-users', { ...own, name: 'more' })).status,
      ).toBe(200)
      const { body } = await bob.get('/api/accounts/2/limits')
      expect(body.data).toMatchObject({ database_users: { used: 2, limit: 1 } })
    })

    test('suspension locks them and what may change them, and is lifted', async () => {
      const locked = () =>
        [...users().values()]
          .filter(({ username }) => username === 'alice')
          .map((one) => one.locked)
      await shared.admin.post('/api/accounts/1/suspend')
      expect(locked()).toEqual([true, true])
      expect((await patch('/api/database-users/1/both', { name: 'x' })).status).toBe(409)
      await shared.admin.post('/api/accounts/1/unsuspend')
      expect(locked()).toEqual([false, false])
    })

    test('each goes by itself, with its last database, and with the account', async () => {
      expect((await shared.admin.del('/api/databases/1/blog')).status).toBe(200)
      const { body } = await shared.admin.get('/api/database-users/1')
      expect(body.data).toMatchObject([
        { user: 'alice_both', databases: [{ database: 'alice_shop', rights: 'write' }] },
      ])
      expect((await shared.admin.del('/api/database-users/1/alice_both')).status).toBe(200)
      expect((await shared.admin.del('/api/database-users/1/both')).status).toBe(404)
      expect((await shared.admin.get('/api/database-users/1')).body.data).toEqual([])
      expect((await shared.admin.del('/api/accounts/2')).status).toBe(200)
      expect(users().size).toBe(0)
    })
  })
}
