import { expect, test } from 'vitest'
import { accountClient, apiClient, createAccount } from '../frame/api-instance.ts'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { archiveOf } from './archive-of.ts'

interface Listed {
  id: string
  location: string
  [field: string]: unknown
}

const ROOT = '/api/backups/snapshots/accounts'
const NOBODY = 'f'.repeat(64)

const listOf = async (client: ApiClient, id: number): Promise<Listed[]> =>
  (await client.get(`${ROOT}/${id}`)).body.data as Listed[]

/** `/api/backups/snapshots/*` and `/api/backups/proofs`. */
export const snapshotsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('snapshots', makeInstance, (shared) => {
    const bytesOf = async (path: string): Promise<[number, string | null, string]> => {
      const headers = { authorization: `Bearer ${shared.admin.token}` }
      const response = await shared.instance.fetch(path, { headers })
      return [response.status, response.headers.get('content-disposition'), await response.text()]
    }

    test('need a token and an account that exists', async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'alice2')
      const anonymous = apiClient(shared.instance)
      for (const [method, path] of [
        ['GET', '/api/backups/snapshots'],
        ['GET', `${ROOT}/1`],
        ['POST', `${ROOT}/1`],
        ['POST', `${ROOT}/1/refresh`],
        ['GET', `${ROOT}/1/${NOBODY}/browse`],
        ['GET', `${ROOT}/1/${NOBODY}/download?path=x`],
        ['POST', `${ROOT}/1/${NOBODY}/restore`],
        ['DELETE', `${ROOT}/1/${NOBODY}`],
        ['GET', '/api/backups/snapshots/engine'],
        ['GET', '/api/backups/proofs'],
        ['POST', '/api/backups/proofs'],
      ] as const)
        expect([path, (await anonymous.send(method, path)).status]).toEqual([path, 401])
      expect((await shared.admin.get(`${ROOT}/99`)).status).toBe(404)
      expect((await shared.admin.post(`${ROOT}/99`)).status).toBe(404)
      expect((await shared.admin.post(`${ROOT}/99/refresh`)).status).toBe(404)
      expect((await shared.admin.get(`${ROOT}/1/${NOBODY}/browse`)).status).toBe(404)
      expect((await shared.admin.get(`${ROOT}/1/abc/browse`)).status).toBe(400)
      const engine = await shared.admin.get('/api/backups/snapshots/engine')
      expect(engine.body.data).toEqual({ version: '0.14.0' })
    })

    test('those of all accounts are one list for an administrator alone', async () => {
      const made = await shared.admin.post(`${ROOT}/2`)
      expect(made.status).toBe(200)
      const sorted = '/api/backups/snapshots?sort=username&order=desc&per_page=1'
      expect((await shared.admin.get(sorted)).body.data).toEqual([
        expect.objectContaining({ username: 'alice2', account_id: 2 }),
      ])
      const none = await shared.admin.get('/api/backups/snapshots?q=nobody')
      expect(none.headers.get('x-total-count')).toBe('0')
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.get('/api/backups/snapshots')).status).toBe(403)
      const { id } = made.body.data as Listed
      expect((await shared.admin.del(`${ROOT}/2/${id}`)).status).toBe(200)
    })

    test('one is made, listed with every field and found again', async () => {
      await shared.admin.post('/api/databases', {
        account_id: 1,
        db_name: 'shop',
        db_password: 'a long password',
      })
      const { status, body } = await shared.admin.post(`${ROOT}/1`)
      expect(status).toBe(200)
      expect(body.data).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{64}$/),
        account_id: 1,
        username: 'alice',
        location: 'local',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        scheduled: false,
        size_bytes: expect.any(Number),
        added_bytes: 100,
        files: 2,
        databases: [{ engine: 'mariadb', database: 'alice_shop' }],
        unread: 0,
      })
      expect(await listOf(shared.admin, 1)).toEqual([body.data])
      expect(await listOf(shared.admin, 2)).toEqual([])
      const second = await shared.admin.post(`${ROOT}/1`, { target: 'local' })
      expect(second.status).toBe(200)
      const page = await shared.admin.get(`${ROOT}/1?per_page=1&sort=created_at&location=local`)
      expect(page.headers.get('x-total-count')).toBe('2')
      for (const [field, sent] of [
        ['target', { target: 'nowhere' }],
        ['target', { target: 7 }],
      ] as const) {
        const answer = await shared.admin.post(`${ROOT}/1`, sent)
        expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
      }
      expect((await shared.admin.post(`${ROOT}/1/refresh`)).body.data).toEqual({
        added: 0,
        forgotten: 0,
      })
      const elsewhere = await shared.admin.post(`${ROOT}/1/refresh`, { location: 'elsewhere' })
      expect([elsewhere.status, elsewhere.headers.get('x-error-field')]).toEqual([400, 'location'])
    })

    test('its folders are browsed, and files, folders and dumps downloaded', async () => {
      const [{ id } = { id: '' }] = await listOf(shared.admin, 1)
      const at = `${ROOT}/1/${id}`
      const home = await shared.admin.get(`${at}/browse`)
      expect(home.body.data).toMatchObject({
        path: '',
        entries: [{ path: 'public_html', name: 'public_html', type: 'directory' }],
        total: 1,
      })
      const inside = await shared.admin.get(`${at}/browse?path=public_html&page=1`)
      expect((inside.body.data as { entries: Listed[] }).entries).toContainEqual({
        path: 'public_html/index.html',
        name: 'index.html',
        type: 'file',
        size_bytes: 14,
        mode: '644',
        modified_at: expect.any(String),
      })
      expect((await shared.admin.get(`${at}/browse?path=nowhere`)).status).toBe(404)
      for (const path of ['../etc', 'a/../../b', '%00', '.'])
        expect((await shared.admin.get(`${at}/browse?path=${path}`)).status).toBe(400)

      const umlaut = encodeURIComponent('public_html/ä.txt')
      expect(await bytesOf(`${at}/download?path=${umlaut}`)).toEqual([
        200,
        `attachment; filename="_.txt"; filename*=UTF-8''%C3%A4.txt`,
        'umlaut',
      ])
      expect((await bytesOf(`${at}/download?path=public_html`)).slice(1)).toEqual([
        expect.stringContaining('public_html.tar.gz'),
        'tar.gz',
      ])
      const [status, name] = await bytesOf(`${at}/download?database=alice_shop&engine=mariadb`)
      expect([status, name]).toEqual([200, expect.stringContaining('mariadb-alice_shop.sql')])
      for (const [query, wanted] of [
        ['', 200],
        ['?path=x&database=y', 400],
        ['?path=../x', 400],
        ['?path=nowhere', 404],
        ['?database=other_shop', 404],
        ['?database=alice_shop&engine=postgresql', 404],
      ] as const)
        expect([query, (await bytesOf(`${at}/download${query}`))[0]]).toEqual([query, wanted])
    })

    test('one user looks into few at once, and gives each place back however it ends', async () => {
      const [{ id } = { id: '' }] = await listOf(shared.admin, 1)
      const at = `${ROOT}/1/${id}`
      const headers = { authorization: `Bearer ${shared.admin.token}` }
      const open = (path: string): Promise<Response> => shared.instance.fetch(path, { headers })
      for (let n = 0; n < 4; n++) {
        expect((await bytesOf(`${at}/download?path=nowhere`))[0]).toBe(404)
        expect((await bytesOf(`${at}/download?path=public_html%2Findex.html`))[0]).toBe(200)
      }
      const answers = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const answer = await open(`${at}/browse`)
          await answer.text()
          return answer.status
        }),
      )
      expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3)
      expect(answers.every((status) => [200, 429].includes(status))).toBe(true)
      expect((await open(`${at}/browse`)).status).toBe(200)
    })

    test('all of it or parts are restored, and the pages purged', async () => {
      const [{ id } = { id: '' }] = await listOf(shared.admin, 1)
      const path = `${ROOT}/1/${id}/restore`
      const shop = { engine: 'mariadb', database: 'alice_shop' }
      for (const body of [
        undefined,
        { paths: ['public_html/index.html'] },
        { databases: [shop] },
        { what: 'files' },
      ])
        expect((await shared.admin.post(path, body)).body.data).toMatchObject({ id })
      expect(shared.instance.host.webServer.purges.at(-1)).toEqual(['alice.example'])
      expect(shared.instance.host.snapshots.restored).toHaveLength(4)
      for (const [field, body] of [
        ['paths', { paths: ['../x'] }],
        ['paths', { paths: [] }],
        ['paths', { paths: 'some' }],
        ['what', { what: 'all', paths: ['x'] }],
        ['databases', { databases: [{ ...shop, engine: 'postgresql' }] }],
        ['databases', { databases: ['alice_shop'] }],
      ] as const) {
        const answer = await shared.admin.post(path, body)
        expect([body, answer.status]).toEqual([body, 400])
        expect(answer.headers.get('x-error-field')).toContain(field)
      }
      expect((await shared.admin.post(`${ROOT}/2/${id}/restore`)).status).toBe(404)
      await shared.admin.post('/api/accounts/1/suspend')
      expect((await shared.admin.post(path)).status).toBe(409)
      expect((await shared.admin.post(`${ROOT}/1`)).status).toBe(200)
      await shared.admin.post('/api/accounts/1/unsuspend')
    })

    test('role account has its own snapshots only, up to the number of its plan', async () => {
      const alice2 = await accountClient(shared.instance, 'alice2')
      const [{ id } = { id: '' }] = await listOf(shared.admin, 1)
      for (const [method, path, status] of [
        ['GET', `${ROOT}/1`, 404],
        ['POST', `${ROOT}/1`, 404],
        ['POST', `${ROOT}/1/refresh`, 404],
        ['GET', `${ROOT}/1/${id}/browse`, 404],
        ['GET', `${ROOT}/2/${id}/browse`, 404],
        ['GET', `${ROOT}/2/${id}/download?path=public_html`, 404],
        ['POST', `${ROOT}/2/${id}/restore`, 404],
        ['DELETE', `${ROOT}/2/${id}`, 404],
        ['GET', '/api/backups/proofs', 403],
        ['POST', '/api/backups/proofs', 403],
      ] as const)
        expect([path, (await alice2.send(method, path)).status]).toEqual([path, status])
      for (let made = 0; made < 4; made++) expect((await alice2.post(`${ROOT}/2`)).status).toBe(200)
      // Archives and snapshots are counted together.
      expect((await alice2.post('/api/backups/accounts/2')).status).toBe(200)
      expect((await alice2.post(`${ROOT}/2`)).status).toBe(403)
      expect((await alice2.post('/api/backups/accounts/2')).status).toBe(403)
      expect((await shared.admin.post(`${ROOT}/2`)).status).toBe(200)
    })

    test('backups are proved when asked, and what fails is told', async () => {
      const check = await shared.admin.post('/api/backups/proofs', { account_id: 1, kind: 'check' })
      expect(check.body.data).toMatchObject({
        kind: 'check',
        username: 'alice',
        ok: true,
        figures: { share: { nth: 1, of: 12 }, bytes: 1000 },
        error: null,
      })
      const trial = await shared.admin.post('/api/backups/proofs', { account_id: 1 })
      expect(trial.body.data).toMatchObject({
        kind: 'trial',
        figures: { files: 2, databases: 1, tables: 1, rows: 2 },
      })
      const { body } = await shared.admin.get('/api/backups/proofs?kind=check&per_page=10')
      expect(body.data).toEqual([check.body.data])
      expect((await shared.admin.post('/api/backups/proofs', { account_id: 99 })).status).toBe(404)
    })

    test('one is deleted, and those of a deleted account are not those of the next', async () => {
      const [newest, ...others] = await listOf(shared.admin, 1)
      const path = `${ROOT}/1/${newest?.id}`
      expect((await shared.admin.del(path)).body.data).toEqual({ id: newest?.id, deleted: true })
      expect((await shared.admin.del(path)).status).toBe(404)
      expect(await listOf(shared.admin, 1)).toEqual(others)
      expect((await shared.admin.del('/api/accounts/1')).status).toBe(200)
      expect(await listOf(shared.admin, 1)).toEqual(others)
      const deleted = await shared.admin.get('/api/backups/deleted-accounts')
      expect(deleted.body.data).toMatchObject([
        { account_id: 1, username: 'alice', backups: 0, snapshots: others.length },
      ])
      const { id } = await createAccount(shared.admin, 'alice', 'again.example')
      expect(await listOf(shared.admin, id)).toEqual([])
      expect((await shared.admin.post(`${ROOT}/${id}/refresh`)).body.data).toMatchObject({
        added: 0,
      })
      for (const one of others)
        expect((await shared.admin.post(`${ROOT}/${id}/${one.id}/restore`)).status).toBe(404)
      const again = await accountClient(shared.instance, 'alice')
      expect((await again.get(`${ROOT}/1`)).status).toBe(404)
      // It comes back as another account, whose user sees nothing of the old one.
      const [kept] = others
      shared.instance.host.imports.archives.set(`local/${kept?.id}`, archiveOf('alice'))
      const source = { account_id: 1, snapshot: kept?.id, username: 'alicia' }
      const names = { domain: 'alicia.example', domains: {}, sha256: 'f'.repeat(64) }
      const inspected = await shared.admin.post('/api/backups/imports/inspect', source)
      expect(inspected.body.data).toMatchObject({ username: 'alice', proof: 'own' })
      const made = await shared.admin.post('/api/backups/imports', { ...source, ...names })
      expect([made.status, made.body.error]).toEqual([200, undefined])
      for (const wrong of [
        { snapshot: kept?.id },
        { ...source, filename: 'alice-20260101-030000.tar.gz' },
        { ...source, path: '/root/x.tar.gz' },
      ])
        expect((await shared.admin.post('/api/backups/imports/inspect', wrong)).status).toBe(400)
      const foreign = { ...source, account_id: id }
      expect((await shared.admin.post('/api/backups/imports/inspect', foreign)).status).toBe(404)
      for (const one of others)
        expect((await shared.admin.del(`${ROOT}/1/${one.id}`)).status).toBe(200)
      expect((await shared.admin.get('/api/backups/deleted-accounts')).body.data).toEqual([])
    })
  })
}
