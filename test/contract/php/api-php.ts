import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

/** PHP versions and settings of accounts. */
export const phpContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('php', makeInstance, (shared) => {
    beforeAll(async () => {
      await createAccount(shared.admin, 'alice')
      await createAccount(shared.admin, 'bobby')
    })
    const set = (body: unknown, id: number | string = 1) =>
      shared.admin.post(`/api/php/version/${id}`, body)

    test('versions', async () => {
      const { body } = await shared.admin.get('/api/php/versions')
      expect(body.data).toContainEqual({
        version: '8.2',
        binary: '/usr/bin/php8.2',
        sapis: ['fpm', 'cgi'],
        default: true,
      })
    })

    test('config starts with the default and follows the choice', async () => {
      expect((await shared.admin.get('/api/php/config/1')).body.data).toEqual({
        version: '8.2',
        mode: 'fpm',
      })
      expect((await set({ version: '8.1', mode: 'cgi' })).body.data).toEqual({
        version: '8.1',
        mode: 'cgi',
      })
      // Without a mode the present one stays.
      expect((await set({ version: '8.2' })).body.data).toEqual({ version: '8.2', mode: 'cgi' })
      expect((await shared.admin.get('/api/php/config/1')).body.data).toEqual({
        version: '8.2',
        mode: 'cgi',
      })
    })

    test('many accounts get a version, and those that fail are named', async () => {
      const many = (body: object) => shared.admin.post('/api/php/version', body)
      const done = await many({ account_ids: [1, 2, 4711], version: '8.1' })
      expect(done.body.data).toEqual({
        changed: 2,
        failed: [{ account_id: 4711, username: null, error: expect.any(String) }],
      })
      expect((await shared.admin.get('/api/php/config/2')).body.data).toMatchObject({
        version: '8.1',
      })
      expect((await many({ account_ids: [1], version: '5.2' })).body.data).toMatchObject({
        changed: 0,
      })
      const alice = await accountClient(shared.instance, 'alice')
      // Each account's log names it, though others were changed with it.
      await expect
        .poll(async () => (await alice.get('/api/accounts/1/activity')).body.data)
        .toEqual(
          expect.arrayContaining([
            expect.objectContaining({ summary: 'Sets the version of an account, among others' }),
          ]),
        )
      await expect
        .poll(async () =>
          JSON.stringify((await shared.admin.get('/api/audit?q=account_ids')).body.data),
        )
        .toContain('account_ids=1,2,4711')
      const own = await alice.post('/api/php/version', { account_ids: [1], version: '8.1' })
      expect(own.status).toBe(403)
      await many({ account_ids: [1, 2], version: '8.2' })
    })

    test('all accounts at once: paged, ordered, searched', async () => {
      const list = (query: string) => shared.admin.get(`/api/php/config${query}`)
      await set({ version: '8.1', mode: 'cgi' })
      const all = await list('?sort=username&order=desc')
      expect(all.headers.get('x-total-count')).toBe('2')
      expect(all.body.data).toEqual([
        {
          account_id: 2,
          username: 'bobby',
          primary_domain: 'bobby.example',
          status: 'active',
          version: '8.2',
          mode: 'fpm',
        },
        expect.objectContaining({ account_id: 1, username: 'alice', version: '8.1', mode: 'cgi' }),
      ])
      const page = await list('?per_page=1&page=2')
      expect([page.body.data, page.headers.get('x-total-count')]).toEqual([
        [expect.objectContaining({ username: 'bobby' })],
        '2',
      ])
      expect((await list('?q=ALI')).body.data).toEqual([
        expect.objectContaining({ username: 'alice' }),
      ])
      expect((await list('?status=suspended')).body.data).toEqual([])
      for (const [bad, field] of [
        ['?sort=password_hash', 'sort'],
        ['?per_page=501', 'per_page'],
        ['?status=asleep', 'status'],
      ]) {
        const answer = await list(bad ?? '')
        expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
      }
      const bobby = await accountClient(shared.instance, 'bobby')
      for (const query of ['', '?q=alice', '?per_page=500']) {
        const own = await bobby.get(`/api/php/config${query}`)
        expect(own.status).toBe(200)
        expect(JSON.stringify(own.body.data)).not.toContain('alice')
      }
    })

    test.each([
      ['version', {}],
      ['version', { version: '9.9', mode: 'fpm' }],
      ['version', { version: '8.2; rm', mode: 'fpm' }],
      ['version', { version: 8.2, mode: 'fpm' }],
      ['mode', { version: '8.2', mode: 'mod_php' }],
    ])('a bad %s in %j is 400', async (field, body) => {
      const answer = await set(body)
      expect(answer.status).toBe(400)
      expect(answer.headers.get('x-error-field')).toBe(field)
    })

    test('pools: what runs', async () => {
      await set({ version: '8.2', mode: 'cgi' })
      const { body } = await shared.admin.get('/api/php/pools')
      expect(body.data).toContainEqual(
        expect.objectContaining({ username: 'alice', version: '8.2', mode: 'cgi', answers: true }),
      )
    })

    test('test runs a script, as an account or as nobody', async () => {
      const run = (body: unknown) => shared.admin.post('/api/php/test', body)
      const done = { version: '8.2', mode: 'fpm', ok: true, error: null, php_version: '8.2.1' }
      expect((await run({ version: '8.2', mode: 'fpm' })).body.data).toMatchObject(done)
      const own = await run({ version: '8.2', mode: 'fpm', account_id: 1 })
      expect(own.body.data).toMatchObject(done)
      expect((await run({ version: '8.2', mode: 'fpm', account_id: 99 })).status).toBe(404)
      for (const [field, body] of [
        ['version', { version: '9.9', mode: 'fpm' }],
        ['mode', { version: '8.2', mode: 'lsapi' }],
        ['mode', { version: '8.2' }],
      ] as const)
        expect((await run(body)).headers.get('x-error-field')).toBe(field)
    })

    test('lsapi is 403 on the Community tier', async () => {
      expect((await set({ version: '8.1', mode: 'lsapi' })).status).toBe(403)
    })

    test('unknown accounts are 404, other accounts too', async () => {
      expect((await shared.admin.get('/api/php/config/99')).status).toBe(404)
      expect((await shared.admin.get('/api/php/config/x')).status).toBe(400)
      expect((await set({ version: '8.2', mode: 'fpm' }, 99)).status).toBe(404)
      const bobby = await accountClient(shared.instance, 'bobby')
      expect((await bobby.get('/api/php/versions')).status).toBe(200)
      expect((await bobby.get('/api/php/config/1')).status).toBe(404)
      expect((await bobby.post('/api/php/version/1', { version: '8.2' })).status).toBe(404)
      expect((await bobby.post('/api/php/version/2', { version: '8.1' })).status).toBe(200)
    })

    test('a suspended account is 409', async () => {
      await shared.admin.post('/api/accounts/2/suspend')
      expect((await set({ version: '8.2', mode: 'fpm' }, 2)).status).toBe(409)
    })
  })
}
