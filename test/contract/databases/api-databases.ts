import { beforeAll, expect, test } from 'vitest'
import { unavailable } from '#handlers/errors.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const shop = (change: Record<string, unknown> = {}) => ({
  account_id: 1,
  db_name: 'shop',
  db_password: 'long enough',
  ...change,
})

const badInputs: [string, Record<string, unknown>][] = [
  ['account_id', { account_id: undefined }],
  ['db_name', { db_name: undefined }],
  ['db_name', { db_name: '' }],
  ['db_name', { db_name: 'a'.repeat(33) }],
  ['db_name', { db_name: 'a`b' }],
  ['db_name', { db_name: "a'b" }],
  ['db_name', { db_name: 'a%' }],
  ['db_name', { db_name: 'a-b' }],
  ['db_user', { db_user: 'x;y' }],
  ['db_password', { db_password: 'short' }],
  ['db_password', { db_password: undefined }],
  ['engine', { engine: 'oracle' }],
]

/** Databases of accounts. */
export const databasesContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('databases', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'alice2')
    })

    test('engines', async () => {
      const { body } = await shared.admin.get('/api/databases/engines')
      expect(body.data).toEqual([
        { engine: 'mariadb', version: expect.any(String), running: true, host: 'localhost' },
      ])
    })

    test.each(badInputs)('create names the bad field %s of %j', async (field, change) => {
      const answer = await shared.admin.post('/api/databases', shop(change))
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-error-field')).toBe(field)
      expect(answer.body.error).toContain(field)
    })

    test('create answers engine, names and host', async () => {
      const answer = await shared.admin.post('/api/databases', shop())
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual({
        engine: 'mariadb',
        database: 'alice_shop',
        user: 'alice_shop',
        host: 'localhost',
      })
      const other = await shared.admin.post(
        '/api/databases',
        shop({ db_name: 'blog', db_user: 'writer', engine: 'mariadb' }),
      )
      expect(other.body.data).toMatchObject({ database: 'alice_blog', user: 'alice_writer' })
    })

    test('duplicates are 409, an engine that is missing 503, an unknown account 404', async () => {
      expect((await shared.admin.post('/api/databases', shop())).status).toBe(409)
      const sameUser = shop({ db_name: 'other', db_user: 'writer' })
      expect((await shared.admin.post('/api/databases', sameUser)).status).toBe(409)
      for (const engine of ['postgres', 'postgresql']) {
        const answer = await shared.admin.post('/api/databases', shop({ engine }))
        expect(answer.status).toBe(503)
        expect(answer.body.error).toContain('not installed')
      }
      expect((await shared.admin.post('/api/databases', shop({ account_id: 99 }))).status).toBe(404)
    })

    test('list carries sizes, never a password', async () => {
      const { body } = await shared.admin.get('/api/databases/1')
      expect(body.data).toEqual([
        {
          engine: 'mariadb',
          database: 'alice_shop',
          user: 'alice_shop',
          host: 'localhost',
          size_bytes: 0,
          tables: 0,
          created_at: expect.any(String),
        },
        expect.objectContaining({ database: 'alice_blog' }),
      ])
      expect((await shared.admin.get('/api/databases/99')).status).toBe(404)
      expect((await shared.admin.get('/api/databases/x')).status).toBe(400)
    })

    test('those of all accounts are one list for an administrator alone', async () => {
      const path = '/api/databases?sort=database&order=desc&q=shop'
      expect((await shared.admin.get(path)).body.data).toEqual([
        {
          account_id: 1,
          username: 'alice',
          engine: 'mariadb',
          database: 'alice_shop',
          user: 'alice_shop',
          host: 'localhost',
          size_bytes: null,
          created_at: expect.any(String),
        },
      ])
      const page = await shared.admin.get('/api/databases?per_page=1&engine=mariadb')
      expect(page.headers.get('x-total-count')).toBe('2')
      expect((await shared.admin.get('/api/databases?sort=tables')).status).toBe(400)
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/databases')).status).toBe(403)
    })

    test('delete takes the short and the full name, of the own account only', async () => {
      expect((await shared.admin.del('/api/databases/2/shop')).status).toBe(404)
      expect((await shared.admin.del('/api/databases/2/alice_shop')).status).toBe(404)
      expect((await shared.admin.del('/api/databases/1/shop?engine=oracle')).status).toBe(400)
      expect((await shared.admin.del('/api/databases/1/shop?engine=postgres')).status).toBe(404)
      expect((await shared.admin.del('/api/databases/1/shop')).status).toBe(200)
      expect((await shared.admin.del('/api/databases/1/shop')).status).toBe(404)
      expect((await shared.admin.del('/api/databases/1/alice_blog')).status).toBe(200)
      expect((await shared.admin.get('/api/databases/1')).body.data).toEqual([])
    })

    test('role account handles its own databases only', async () => {
      const alice2 = await accountClient(shared.instance, 'alice2')
      expect((await alice2.post('/api/databases', shop())).status).toBe(404)
      expect((await alice2.get('/api/databases/1')).status).toBe(404)
      expect((await alice2.del('/api/databases/1/shop')).status).toBe(404)
      expect((await alice2.post('/api/databases', shop({ account_id: 2 }))).status).toBe(200)
      expect((await alice2.get('/api/databases/2')).body.data).toHaveLength(1)
    })
  })

  apiGroup('databases of two engines', makeInstance, (shared) => {
    const socketDirectory = '/run/berth/postgresql'
    const postgresql = { engine: 'postgresql' as const, version: '15.18', host: socketDirectory }
    const patch = (path: string, body?: unknown) => shared.admin.send('PATCH', path, body)
    const password = { db_password: 'another long one' }

    beforeAll(async () => {
      shared.instance.host.databases.installed.push({ ...postgresql, running: true })
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bob')
    })

    test('both are named with their versions', async () => {
      const { body } = await shared.admin.get('/api/databases/engines')
      expect(body.data).toEqual([
        expect.objectContaining({ engine: 'mariadb' }),
        { ...postgresql, running: true },
      ])
    })

    test('each has its own names, and its own host', async () => {
      const answers: unknown[] = []
      for (const engine of ['mysql', 'postgres'])
        answers.push((await shared.admin.post('/api/databases', shop({ engine }))).body.data)
      const names = { database: 'alice_shop', user: 'alice_shop' }
      expect(answers).toEqual([
        { engine: 'mariadb', ...names, host: 'localhost' },
        { engine: 'postgresql', ...names, host: socketDirectory },
      ])
      const { body } = await shared.admin.get('/api/databases/1')
      expect(body.data).toMatchObject([{ host: 'localhost' }, { host: socketDirectory }])
      for (const engine of ['mariadb', 'postgresql'])
        expect((await shared.admin.post('/api/databases', shop({ engine }))).status).toBe(409)
    })

    test('sizes over time are the owner’s to see', async () => {
      const path = '/api/databases/1/shop/sizes'
      expect((await shared.admin.get(`${path}?engine=mysql`)).body.data).toEqual([])
      expect((await shared.admin.get(path)).status).toBe(409)
      expect((await shared.admin.get('/api/databases/1/none/sizes')).status).toBe(404)
      const bob = await accountClient(shared.instance, 'bob')
      expect((await bob.get(`${path}?engine=mysql`)).status).toBe(404)
    })

    test('what took long is shown to the owner, of the database that is meant', async () => {
      const path = '/api/databases/1/shop/slow-queries'
      const one = {
        ...{ engine: 'mariadb' as const, database: 'alice_shop', user: 'alice_shop' },
        ...{ statement: 'SELECT ?', count: 1, longest_ms: 3000, total_ms: 3000 },
        last_at: '2026-01-01 00:00:00',
      }
      const more = { ...one, statement: 'SELECT a', total_ms: 9000 }
      shared.instance.host.databases.slow.set('alice', [
        one,
        more,
        { ...one, database: null },
        { ...one, engine: 'postgresql' },
      ])
      expect((await shared.admin.get(`${path}?engine=mysql`)).body.data).toEqual([more, one])
      expect((await shared.admin.get(path)).status).toBe(409)
      const bob = await accountClient(shared.instance, 'bob')
      expect((await bob.get(`${path}?engine=mysql`)).status).toBe(404)
    })

    test('a name in two engines needs the engine', async () => {
      for (const answer of [
        await shared.admin.del('/api/databases/1/shop'),
        await patch('/api/databases/1/alice_shop', password),
      ]) {
        expect(answer.status).toBe(409)
        expect(answer.headers.get('x-error-field')).toBe('engine')
        expect(answer.body.error).toContain('?engine=')
      }
    })

    test('a password is changed in the engine that is meant', async () => {
      const { made } = shared.instance.host.databases
      const answer = await patch('/api/databases/1/shop?engine=postgres', password)
      expect(answer.status).toBe(200)
      expect(answer.body.data).toEqual({
        engine: 'postgresql',
        database: 'alice_shop',
        user: 'alice_shop',
        host: socketDirectory,
      })
      expect(made.get('postgresql:alice_shop')?.password).toBe(password.db_password)
      expect(made.get('mariadb:alice_shop')?.password).toBe('long enough')
    })

    test.each([
      ['db_password', '/api/databases/1/shop?engine=mysql', { db_password: 'short' }],
      ['db_password', '/api/databases/1/shop?engine=mysql', {}],
      ['db_password', '/api/databases/1/shop?engine=mysql', { db_password: 12345678 }],
      ['db_password', '/api/databases/1/shop?engine=mysql', { db_password: 'line\nbreak' }],
      ['engine', '/api/databases/1/shop?engine=oracle', { db_password: 'long enough' }],
      ['account_id', '/api/databases/x/shop', { db_password: 'long enough' }],
    ])('a change of password names the bad field %s', async (field, path, body) => {
      const answer = await patch(path, body)
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-error-field')).toBe(field)
    })

    test('a change of password needs a token, a database and a running host', async () => {
      const path = '/api/databases/1/shop?engine=mysql'
      const anonymous = apiClient(shared.instance)
      expect((await anonymous.send('PATCH', path, password)).status).toBe(401)
      for (const missing of [
        '/api/databases/99/shop',
        '/api/databases/1/none',
        '/api/databases/2/shop',
      ])
        expect((await patch(missing, password)).status).toBe(404)
      const bob = await accountClient(shared.instance, 'bob')
      expect((await bob.send('PATCH', path, password)).status).toBe(404)
      const { host } = shared.instance
      host.inject({ method: 'databases.setPassword', when: 'before', error: unavailable('Away.') })
      expect((await patch(path, password)).status).toBe(503)
      host.clearFaults()
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.send('PATCH', path, password)).status).toBe(200)
    })

    test('a server that does not run is 503, and the limit of the plan 403', async () => {
      const { installed } = shared.instance.host.databases
      for (const one of installed) one.running = false
      const stopped = await shared.admin.post('/api/databases', shop({ db_name: 'more' }))
      expect(stopped.status).toBe(503)
      expect(stopped.body.error).toContain('not running')
      for (const one of installed) one.running = true
      for (const [index, engine] of ['mysql', 'postgres', 'mysql'].entries())
        await shared.admin.post('/api/databases', shop({ engine, db_name: `more${index}` }))
      const alice = await accountClient(shared.instance, 'alice')
      const over = await alice.post('/api/databases', shop({ db_name: 'over' }))
      expect(over.status).toBe(403)
      expect(over.body.error).toContain('has 5 of the 5 databases that its plan free allows')
    })

    test('suspension closes every login, keeps passwords as they are, and is lifted', async () => {
      const locked = () =>
        [...shared.instance.host.databases.made.values()].map((one) => one.locked)
      await shared.admin.post('/api/accounts/1/suspend')
      expect(new Set(locked())).toEqual(new Set([true]))
      expect((await patch('/api/databases/1/shop?engine=mysql', password)).status).toBe(409)
      expect((await shared.admin.post('/api/databases', shop({ db_name: 'late' }))).status).toBe(
        409,
      )
      await shared.admin.post('/api/accounts/1/unsuspend')
      expect(new Set(locked())).toEqual(new Set([false]))
    })

    test('each engine is dropped alone, and all go with the account', async () => {
      const { made } = shared.instance.host.databases
      expect((await shared.admin.del('/api/databases/1/shop?engine=postgresql')).status).toBe(200)
      expect([made.has('mariadb:alice_shop'), made.has('postgresql:alice_shop')]).toEqual([
        true,
        false,
      ])
      expect((await shared.admin.del('/api/accounts/1')).status).toBe(200)
      expect(made.size).toBe(0)
    })
  })
}
