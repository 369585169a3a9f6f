import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** Export and import of databases. */
export const databaseCopiesApiContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('databases as files', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'alice2')
      await shared.admin.post('/api/databases', {
        account_id: 1,
        db_name: 'shop',
        db_password: 'long enough',
      })
      for (const [path, content] of [
        ['dump.sql', 'CREATE TABLE a (b int);'],
        ['evil.sql', 'GRANT ALL ON *.* TO x;'],
      ])
        await shared.admin.post('/api/files/write', { account_id: 1, path, content })
    })

    test('export, list, download, delete', async () => {
      const made = await shared.admin.post('/api/databases/1/shop/export', { format: 'sql' })
      expect(made.status).toBe(200)
      const one = made.body.data as { filename: string; size_bytes: number }
      expect(one).toMatchObject({ engine: 'mariadb', database: 'alice_shop' })
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/databases/1/exports')).body.data).toEqual([one])
      const path = `/api/databases/1/exports/${one.filename}`
      const response = await shared.instance.fetch(`${path}/download`, {
        headers: { authorization: `Bearer ${alice.token}` },
      })
      expect(response.headers.get('content-disposition')).toContain(one.filename)
      expect((await response.text()).length).toBe(one.size_bytes)
      expect((await alice.del(path)).body.data).toMatchObject({ deleted: true })
      expect((await alice.del(path)).status).toBe(404)
      expect((await alice.get(`${path}/download`)).status).toBe(404)
      expect((await alice.get('/api/databases/1/exports/..%2fetc/download')).status).toBe(404)
    })

    test('import, and how it is undone', async () => {
      const path = 'dump.sql'
      const done = await shared.admin.post('/api/databases/1/shop/import', { path })
      expect(done.body.data).toEqual({
        engine: 'mariadb',
        database: 'alice_shop',
        undo: { restore: expect.any(String), until: expect.any(String) },
      })
      expect(shared.instance.host.databaseCopies.contents.get('mariadb:alice_shop')).toContain(
        'a (b',
      )
      const restores = await shared.admin.get('/api/backups/accounts/1/restores')
      expect(restores.body.data).toMatchObject([
        { backup: null, snapshot: null, dump: 'dump.sql', location: 'local', files: 'none' },
      ])
      const { id } = (restores.body.data as { id: string }[])[0] ?? { id: '' }
      const undone = await shared.admin.post(`/api/backups/accounts/1/restores/${id}/undo`)
      expect(undone.status).toBe(200)
    })

    test('a file goes once it is imported, if that is wanted', async () => {
      await shared.admin.post('/api/files/write', {
        account_id: 1,
        path: 'up',
        content: 'SELECT 1',
      })
      const body = { path: 'up', remove_file: true }
      expect((await shared.admin.post('/api/databases/1/shop/import', body)).status).toBe(200)
      expect((await shared.admin.get('/api/files/read?account_id=1&path=up')).status).toBe(404)
    })

    test.each([
      [400, { path: '../x' }],
      [400, { path: '/etc/passwd' }],
      [400, {}],
      [400, { path: 'dump.sql', remove_file: 'yes' }],
      [400, { path: 'dump.sql', removefile: true }],
      [404, { path: 'missing.sql' }],
      [409, { path: 'evil.sql' }],
    ])('import answers %d to %j', async (status, body) => {
      expect((await shared.admin.post('/api/databases/1/shop/import', body)).status).toBe(status)
    })

    test('formats and names are checked', async () => {
      const to = '/api/databases/1'
      expect((await shared.admin.post(`${to}/shop/export`, { format: 'rar' })).status).toBe(400)
      expect((await shared.admin.post(`${to}/none/export`, {})).status).toBe(404)
      expect((await shared.admin.post(`${to}/shop/export?engine=postgres`, {})).status).toBe(404)
    })

    test('nobody reaches the databases and exports of others', async () => {
      const made = await shared.admin.post('/api/databases/1/shop/export', {})
      const { filename } = made.body.data as { filename: string }
      const other = await accountClient(shared.instance, 'alice2')
      for (const answer of [
        await other.get('/api/databases/1/exports'),
        await other.get(`/api/databases/2/exports/${filename}/download`),
        await other.del(`/api/databases/1/exports/${filename}`),
        await other.post('/api/databases/1/shop/export', {}),
        await other.post('/api/databases/2/alice_shop/export', {}),
        await other.post('/api/databases/1/shop/import', { path: 'dump.sql' }),
      ])
        expect(answer.status).toBe(404)
    })

    test('there is no web tool where it has no port, and for nobody but the owner', async () => {
      const path = '/api/databases/1/shop/tool'
      const answer = await shared.admin.post(path)
      expect([answer.status, answer.body.error]).toEqual([
        503,
        expect.stringContaining('database_tool_port'),
      ])
      const other = await accountClient(shared.instance, 'alice2')
      expect((await other.post(path)).status).toBe(404)
    })

    test('a suspended account imports nothing', async () => {
      await shared.admin.post('/api/accounts/1/suspend', { reason: 'unpaid' })
      const path = 'dump.sql'
      expect((await shared.admin.post('/api/databases/1/shop/import', { path })).status).toBe(409)
      await shared.admin.post('/api/accounts/1/unsuspend', {})
    })
  })
}
