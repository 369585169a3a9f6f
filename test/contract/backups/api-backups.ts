import { expect, test } from 'vitest'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

interface Listed {
  filename: string
  location: string
  [field: string]: unknown
}

const NAME = /^alice-\d{8}-\d{6}\.tar\.gz$/

const listOf = async (client: ApiClient, id: number): Promise<Listed[]> =>
  (await client.get(`/api/backups/accounts/${id}`)).body.data as Listed[]

/** `/api/backups/*` and the final backup of an account. */
export const backupsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('backups', makeInstance, (shared) => {
    test('need a token and an account that exists', async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'alice2')
      const anonymous = apiClient(shared.instance)
      for (const [method, path] of [
        ['GET', '/api/backups/accounts/1'],
        ['POST', '/api/backups/accounts/1'],
        ['POST', '/api/backups/accounts/1/restore/alice-20260101-000000.tar.gz'],
        ['GET', '/api/backups/accounts/1/alice-20260101-000000.tar.gz/download'],
        ['GET', '/api/backups/accounts/1/alice-20260101-000000.tar.gz/contents'],
        ['GET', '/api/backups/accounts/1/restores'],
        ['POST', '/api/backups/accounts/1/restores/x/undo'],
        ['DELETE', '/api/backups/accounts/1/alice-20260101-000000.tar.gz'],
        ['POST', '/api/backups/cleanup'],
        ['GET', '/api/backups/remote-targets'],
      ] as const)
        expect([path, (await anonymous.send(method, path)).status]).toEqual([path, 401])
      expect((await shared.admin.get('/api/backups/accounts/99')).status).toBe(404)
      expect((await shared.admin.post('/api/backups/accounts/99')).status).toBe(404)
      expect((await shared.admin.get('/api/backups/accounts/x')).status).toBe(400)
    })

    test('a backup holds the databases and is listed with every field', async () => {
      await shared.admin.post('/api/databases', {
        account_id: 1,
        db_name: 'shop',
        db_password: 'a long password',
      })
      const { status, body } = await shared.admin.post('/api/backups/accounts/1')
      expect(status).toBe(200)
      expect(body.data).toEqual({
        filename: expect.stringMatching(NAME),
        account_id: 1,
        username: 'alice',
        size_bytes: expect.any(Number),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        databases: [{ engine: 'mariadb', database: 'alice_shop' }],
        skipped: 1,
        skipped_paths: ['private/key'],
        scheduled: false,
        location: 'local',
        verified: true,
        status: 'completed',
      })
      expect(await listOf(shared.admin, 1)).toEqual([body.data])
      expect(await listOf(shared.admin, 2)).toEqual([])
      // A second one in the same second has a name of its own.
      const second = await shared.admin.post('/api/backups/accounts/1', { target: 'local' })
      expect(second.status).toBe(200)
      const page = await shared.admin.get(
        '/api/backups/accounts/1?per_page=1&sort=filename&order=desc',
      )
      expect(page.body.data).toEqual([second.body.data])
      expect(page.headers.get('x-total-count')).toBe('2')
    })

    test.each([
      ['target', { target: 'nowhere' }],
      ['target', { target: 7 }],
    ])('create refuses a wrong %s', async (field, body) => {
      const answer = await shared.admin.post('/api/backups/accounts/1', body)
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-error-field')).toBe(field)
    })

    test('restore takes what the account has, by exactly its name', async () => {
      const [{ filename = '' } = {}] = await listOf(shared.admin, 1)
      const path = `/api/backups/accounts/1/restore/${filename}`
      for (const body of [undefined, { what: 'files' }, { what: 'databases' }, { what: 'all' }])
        expect((await shared.admin.post(path, body)).body.data).toMatchObject({ filename })
      expect(shared.instance.host.webServer.purges.at(-1)).toEqual(['alice.example'])
      expect((await shared.admin.post(path, { what: 'mail' })).status).toBe(400)
      expect((await shared.admin.post(`${path}?location=elsewhere`)).status).toBe(404)
      for (const name of ['..%2fetc', 'alice2-20260101-000000.tar.gz%00', 'x', '%2e%2e'])
        expect([400, 404]).toContain(
          (await shared.admin.post(`/api/backups/accounts/1/restore/${name}`)).status,
        )
      const other = `/api/backups/accounts/2/restore/${filename}`
      expect((await shared.admin.post(other)).status).toBe(404)
      await shared.admin.post('/api/accounts/1/suspend')
      expect((await shared.admin.post(path)).status).toBe(409)
      await shared.admin.post('/api/accounts/1/unsuspend')
    })

    test('chosen parts are restored alone, and a restore is undone within a day', async () => {
      const [{ filename = '' } = {}] = await listOf(shared.admin, 1)
      const path = `/api/backups/accounts/1/restore/${filename}`
      const database = { engine: 'mariadb', database: 'alice_shop' }
      const paths = ['public_html/', 'public_html/a', './x']
      const answer = await shared.admin.post(path, { paths, databases: [database] })
      expect(answer.status).toBe(200)
      expect(shared.instance.host.backups.restored.at(-1)).toBe(
        `${JSON.stringify([['public_html', 'x'], [database]])} ${filename}`,
      )
      for (const body of [
        { paths: [] },
        { paths: ['../x'] },
        { paths: ['/etc'] },
        { paths: [''] },
        { paths: ['a\nb'] },
        { paths: Array.from({ length: 1001 }, (_, n) => `f${n}`) },
        { what: 'all', paths: ['a'] },
        { databases: ['alice_shop'] },
        { files: ['a'] },
      ])
        expect([body, (await shared.admin.post(path, body)).status]).toEqual([body, 400])
      const kept = await shared.admin.get('/api/backups/accounts/1/restores')
      const [restore] = kept.body.data as { id: string }[]
      expect(restore).toMatchObject({
        backup: filename,
        snapshot: null,
        location: 'local',
        is_undo: false,
        files: ['public_html', 'x'],
        databases: [database],
        lost: null,
      })
      const undo = (id: number, which = '') => `/api/backups/accounts/${id}/restores/${which}/undo`
      expect((await shared.admin.post(undo(2, restore?.id))).status).toBe(404)
      const undone = await shared.admin.post(undo(1, restore?.id))
      expect([undone.status, undone.body.data]).toMatchObject([200, { is_undo: true }])
      expect((await shared.admin.post(undo(1, restore?.id))).status).toBe(404)
    })

    test('what is in a backup is listed by folder', async () => {
      const [{ filename = '' } = {}] = await listOf(shared.admin, 1)
      const path = `/api/backups/accounts/1/${filename}/contents`
      expect((await shared.admin.get(path)).body.data).toMatchObject({
        entries: [{ path: 'public_html', type: 'directory', mode: '750' }],
        total: 1,
        databases: [{ engine: 'mariadb', database: 'alice_shop' }],
      })
      expect((await shared.admin.get(`${path}?path=none`)).status).toBe(404)
      expect((await shared.admin.get(`${path}?path=..`)).status).toBe(400)
      expect((await shared.admin.get(`${path}?page=0`)).status).toBe(400)
      const foreign = `/api/backups/accounts/2/${filename}/contents`
      expect((await shared.admin.get(foreign)).status).toBe(404)
    })

    test('those of all accounts are one list for an administrator alone', async () => {
      const [own] = await listOf(shared.admin, 1)
      const all = await shared.admin.get('/api/backups?sort=username&order=asc&per_page=1')
      expect(all.body.data).toEqual([expect.objectContaining({ username: own?.username })])
      const none = await shared.admin.get('/api/backups?location=elsewhere')
      expect(none.headers.get('x-total-count')).toBe('0')
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/backups')).status).toBe(403)
    })

    test('download answers the bytes of the archive', async () => {
      const [backup] = await listOf(shared.admin, 1)
      const path = `/api/backups/accounts/1/${backup?.filename}/download`
      const headers = { authorization: `Bearer ${shared.admin.token}` }
      const response = await shared.instance.fetch(path, { headers })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/gzip')
      expect(response.headers.get('content-disposition')).toContain(String(backup?.filename))
      expect(await response.text()).toBe(`backup ${backup?.filename}`)
      const foreign = `/api/backups/accounts/2/${backup?.filename}/download`
      expect((await shared.admin.get(foreign)).status).toBe(404)
    })

    test('role account has its own backups only, and no administration', async () => {
      const alice2 = await accountClient(shared.instance, 'alice2')
      const [{ filename = '' } = {}] = await listOf(shared.admin, 1)
      for (const [method, path, status] of [
        ['GET', '/api/backups/accounts/1', 404],
        ['POST', '/api/backups/accounts/1', 404],
        ['POST', `/api/backups/accounts/1/restore/${filename}`, 404],
        ['POST', `/api/backups/accounts/2/restore/${filename}`, 404],
        ['GET', `/api/backups/accounts/2/${filename}/download`, 404],
        ['GET', `/api/backups/accounts/1/${filename}/contents`, 404],
        ['GET', `/api/backups/accounts/2/${filename}/contents`, 404],
        ['GET', '/api/backups/accounts/1/restores', 404],
        ['POST', '/api/backups/accounts/1/restores/x/undo', 404],
        ['POST', '/api/backups/accounts/2/restores/x/undo', 404],
        ['DELETE', `/api/backups/accounts/2/${filename}`, 404],
        ['POST', '/api/backups/cleanup', 403],
        ['GET', '/api/backups/remote-targets', 403],
      ] as const)
        expect([path, (await alice2.send(method, path)).status]).toEqual([path, status])
      expect((await alice2.post('/api/backups/accounts/2')).status).toBe(200)
      expect(await listOf(alice2, 2)).toHaveLength(1)
    })

    test('cleanup keeps the newest, and refuses nonsense', async () => {
      for (const retention_days of [0, -1, 1.5, 'all', 4000]) {
        const answer = await shared.admin.post('/api/backups/cleanup', { retention_days })
        expect([retention_days, answer.status]).toEqual([retention_days, 400])
        expect(answer.headers.get('x-error-field')).toBe('retention_days')
      }
      const { body } = await shared.admin.post('/api/backups/cleanup')
      expect(body.data).toEqual({ removed: [], failed: [] })
      expect((await shared.admin.get('/api/backups/remote-targets')).body.data).toEqual([])
    })

    test('delete removes one backup', async () => {
      const [newest, older] = await listOf(shared.admin, 1)
      const path = `/api/backups/accounts/1/${newest?.filename}`
      expect((await shared.admin.del(`${path}?location=elsewhere`)).status).toBe(404)
      expect((await shared.admin.del('/api/backups/accounts/1/nonsense')).status).toBe(400)
      expect((await shared.admin.del(path)).body.data).toEqual({
        filename: newest?.filename,
        deleted: true,
        kept: [],
      })
      expect((await shared.admin.del(path)).status).toBe(404)
      expect(await listOf(shared.admin, 1)).toEqual([older])
    })

    test('an account can be deleted with a final backup, which outlives it', async () => {
      expect((await shared.admin.del('/api/accounts/1?backup=maybe')).status).toBe(400)
      expect((await shared.admin.del('/api/accounts/1?backup=true')).status).toBe(200)
      expect((await shared.admin.get('/api/accounts/1')).status).toBe(404)
      const backups = await listOf(shared.admin, 1)
      expect(backups).toHaveLength(2)
      const path = `/api/backups/accounts/1/${backups[0]?.filename}`
      expect((await shared.admin.post('/api/backups/accounts/1')).status).toBe(404)
      // The next account of that name has none of them.
      await createAccount(shared.admin, 'alice', 'again.example')
      expect(await listOf(shared.admin, 3)).toEqual([])
      expect((await shared.admin.del(path)).status).toBe(200)
    })

    test("an account's user has room for those of its plan on the host, the administrator for more", async () => {
      const { id } = await createAccount(shared.admin, 'hoarder')
      const own = await accountClient(shared.instance, 'hoarder')
      const make = async (client: ApiClient) =>
        (await client.post(`/api/backups/accounts/${id}`)).status
      for (let made = 0; made < 5; made++) expect(await make(own)).toBe(200)
      expect(await make(own)).toBe(403)
      expect(await make(shared.admin)).toBe(200)
      expect(await listOf(own, id)).toHaveLength(6)
    })
  })
}
