import { beforeAll, expect, test } from 'vitest'
import type { MakeApiInstance } from './api-instance.ts'
import { accountClient, createAccount } from './api-instance.ts'
import { apiGroup } from './api-suite.ts'

type Row = Record<string, unknown>

/** Paging, filters and sums of lists. */
export const listsContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('lists', makeInstance, (shared) => {
    const list = async (path: string, field: string) => {
      const { status, body, headers } = await shared.admin.get(path)
      return {
        status,
        values: body.ok ? (body.data as Row[]).map((row) => row[field]) : [],
        total: headers.get('x-total-count'),
        field: headers.get('x-error-field'),
      }
    }
    const names = (query: string) => list(`/api/accounts?sort=username&${query}`, 'username')

    beforeAll(async () => {
      for (const name of ['alice', 'bobby', 'carol']) await createAccount(shared.admin, name)
      const change = { plan: 'business' }
      await shared.admin.send('PATCH', '/api/accounts/2', change)
      await shared.admin.send('PATCH', '/api/accounts/3', { ...change, disk_quota_mb: 500_000 })
      await shared.admin.post('/api/accounts/1/suspend')
      for (const db_name of ['shop', 'blog', 'wiki'])
        await shared.admin.post('/api/databases', {
          account_id: 2,
          db_name,
          db_password: 'long enough',
        })
      await shared.admin.post('/api/domains', {
        account_id: 2,
        domain_name: 'addon.example',
        domain_type: 'addon',
        document_root: '/home/bobby/addon',
        cache_enabled: true,
      })
    })

    test('accounts by status, plan, quotas and exact name', async () => {
      expect(await names('status=suspended')).toMatchObject({ values: ['alice'], total: '1' })
      expect((await names('status=active')).values).toEqual(['bobby', 'carol'])
      expect((await names('plan=business')).values).toEqual(['bobby', 'carol'])
      expect((await names('plan=business&above_plan=true')).values).toEqual(['carol'])
      expect((await names('plan=business&above_plan=false')).values).toEqual(['bobby'])
      expect((await names('username=bobby')).values).toEqual(['bobby'])
      expect((await names('username=bob')).values).toEqual([])
      expect(await names('status=active&per_page=1&page=2')).toMatchObject({
        values: ['carol'],
        total: '2',
      })
      for (const bad of ['status=x', 'plan=enterprise', 'above_plan=1'])
        expect(await names(bad)).toMatchObject({ status: 400, field: bad.split('=')[0] })
      for (const sort of ['bandwidth_used_mb', 'disk_used_mb'])
        expect((await list(`/api/accounts?sort=${sort}&order=desc`, 'username')).status).toBe(200)
    })

    test('domains by type, certificate and cache', async () => {
      const domains = (query: string) =>
        list(`/api/domains?sort=domain_name&${query}`, 'domain_name')
      expect((await domains('domain_type=addon')).values).toEqual(['addon.example'])
      expect(await domains('ssl_status=active')).toMatchObject({ values: [], total: '0' })
      expect((await domains('ssl_status=none&per_page=2')).total).toBe('4')
      expect((await domains('cache_enabled=true&domain_type=addon')).values).toHaveLength(1)
      expect((await domains('cache_enabled=yes')).status).toBe(400)
      const own = await list('/api/domains/account/2?domain_type=addon', 'domain_name')
      expect(own.values).toEqual(['addon.example'])
    })

    test('the order of pages is total: every row is on exactly one', async () => {
      for (const order of ['asc', 'desc']) {
        const seen: unknown[] = []
        for (const page of [1, 2, 3, 4])
          seen.push(
            ...(
              await list(
                `/api/domains?sort=ssl_status&order=${order}&page=${page}&per_page=1`,
                'id',
              )
            ).values,
          )
        expect(new Set(seen).size).toBe(4)
      }
    })

    test('databases of an account are paged, ordered and searched', async () => {
      const databases = (query: string) => list(`/api/databases/2${query}`, 'database')
      expect(await databases('')).toMatchObject({
        values: ['bobby_shop', 'bobby_blog', 'bobby_wiki'],
        total: '3',
      })
      expect(await databases('?sort=database&per_page=2')).toMatchObject({
        values: ['bobby_blog', 'bobby_shop'],
        total: '3',
      })
      expect((await databases('?sort=database&per_page=2&page=2')).values).toEqual(['bobby_wiki'])
      expect((await databases('?sort=database&order=desc&q=B_S')).values).toEqual([])
      expect(await databases('?q=WIKI')).toMatchObject({ values: ['bobby_wiki'], total: '1' })
      expect((await databases('?engine=postgresql')).values).toEqual([])
      expect((await databases('?engine=mariadb')).values).toHaveLength(3)
      expect((await databases('?sort=size_bytes')).status).toBe(200)
      expect(await databases('?sort=password')).toMatchObject({ status: 400, field: 'sort' })
      expect((await databases('?per_page=501')).field).toBe('per_page')
    })

    test('a page behind the last is empty, however far', async () => {
      for (const path of [
        'accounts',
        'domains',
        'databases/2',
        'backups/accounts/2',
        'ssl/certificates',
        'audit',
        'jobs',
      ]) {
        const far = await list(`/api/${path}?page=1000000&per_page=500`, 'id')
        expect([path, far.status, far.values]).toEqual([path, 200, []])
        const beyond = await list(`/api/${path}?page=${Number.MAX_SAFE_INTEGER}&per_page=500`, 'id')
        expect([path, beyond.status, beyond.values]).toEqual([path, 200, []])
      }
    })

    test('backups by place, certificates by status', async () => {
      await shared.admin.post('/api/backups/accounts/2')
      expect((await list('/api/backups/accounts/2?location=local', 'location')).total).toBe('1')
      expect((await list('/api/backups/accounts/2?location=away', 'location')).total).toBe('0')
      for (const status of ['valid', 'expiring_soon', 'expired'])
        expect((await list(`/api/ssl/certificates?status=${status}`, 'domain')).status).toBe(200)
      expect((await list('/api/ssl/certificates?status=new', 'domain')).field).toBe('status')
    })

    test('what several accounts have together', async () => {
      const totals = (ids: string) => shared.admin.get(`/api/accounts/totals?ids=${ids}`)
      expect((await totals('2,3,99')).body.data).toEqual({
        accounts: 2,
        disk_used_mb: expect.any(Number),
        domains: 3,
        databases: 3,
        certificates: 0,
        backups: 1,
      })
      for (const bad of ['', 'x', '1,', '0', '1;2', Array(501).fill('1').join(',')]) {
        const answer = await totals(bad)
        expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, 'ids'])
      }
      const bobby = await accountClient(shared.instance, 'bobby')
      expect((await bobby.get('/api/accounts/totals?ids=2')).status).toBe(403)
    })

    test('an account sees its own rows alone, whatever it filters by', async () => {
      const bobby = await accountClient(shared.instance, 'bobby')
      for (const path of [
        '/api/accounts?username=carol',
        '/api/accounts?plan=business&page=1',
        '/api/domains?domain_type=primary&per_page=500',
      ]) {
        const { status, body } = await bobby.get(path)
        expect(status).toBe(200)
        expect(JSON.stringify(body.data)).not.toContain('carol')
      }
    })

    test('the audit log of one account: its own deeds, and what was done to it', async () => {
      const entries = async (id: number) =>
        (await list(`/api/audit?account_id=${id}&per_page=100`, 'action')).values
      // Written beside the answers, in any order.
      const deeds = [
        'POST /api/accounts',
        'PATCH /api/accounts/:id',
        'POST /api/databases',
        'POST /api/domains',
        'POST /api/auth/login',
        'POST /api/backups/accounts/:id',
      ]
      await expect.poll(() => entries(2)).toEqual(expect.arrayContaining(deeds))
      const found = await entries(2)
      expect(found).not.toContain('POST /api/accounts/:id/suspend')
      expect(await entries(1)).toContain('POST /api/accounts/:id/suspend')
      expect(await entries(99)).toEqual([])
      expect((await list('/api/audit?account_id=x', 'id')).status).toBe(400)
    })

    test('the audit log of an account holds nothing that others slipped into it', async () => {
      const carol = await accountClient(shared.instance, 'carol')
      const path = 'x account_id=2 y'
      await carol.post('/api/files/mkdir', { account_id: 3, path })
      const targets = async (query: string) => (await list(`/api/audit?${query}`, 'target')).values
      await expect
        .poll(() => targets('q=mkdir'))
        .toEqual(['account_id=3 path=x%20account_id=2 y account=carol'])
      expect(await targets('q=mkdir&account_id=3')).toHaveLength(1)
      expect(await targets('q=mkdir&account_id=2')).toEqual([])
    })
  })
}
