import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from './api-instance.ts'
import { accountClient, createAccount } from './api-instance.ts'
import { apiGroup } from './api-suite.ts'

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
      expect(body.data).toEqual([{ engine: 'mariadb', version: expect.any(String), running: true }])
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
}
