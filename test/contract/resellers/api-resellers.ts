import { beforeAll, expect, test } from 'vitest'
import type { Answer, ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { apiClient, createAccount, newAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { holdUpload } from '../frame/held-requests.ts'

const PASSWORD = 'reseller password'

interface Reseller {
  id: number
  status: string
  [field: string]: unknown
}

const dataOf = <T>({ body }: Answer): T => body.data as T

/** Resellers: their rights, limits, suspension and deletion. */
export const resellersContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('resellers', makeInstance, (shared) => {
    let rita: ApiClient
    let ritaId = 0
    const make = async (username: string, change: object = {}): Promise<Reseller> => {
      const body = { username, password: PASSWORD, plans: ['free', 'pro'], ...change }
      const made = await shared.admin.post('/api/resellers', body)
      if (made.status !== 200) throw new Error(JSON.stringify(made.body))
      return dataOf(made)
    }
    const login = async (username: string): Promise<ApiClient> => {
      const client = apiClient(shared.instance)
      const answer = await client.post('/api/auth/login', { username, password: PASSWORD })
      client.token = dataOf<{ token: string }>(answer).token
      return client
    }
    const patch = (client: ApiClient, path: string, body: object) =>
      client.send('PATCH', path, body)
    const idOf = async (username: string): Promise<number> =>
      dataOf<{ id: number }[]>(await shared.admin.get(`/api/accounts?username=${username}`))[0]
        ?.id ?? 0

    beforeAll(async () => {
      ritaId = (
        await make('rita', {
          accounts_limit: 3,
          disk_limit_mb: 5600,
          domains_limit: 5,
          databases_limit: 1,
        })
      ).id
      rita = await login('rita')
    })

    test('makes accounts of his own, and sees no others', async () => {
      await createAccount(shared.admin, 'bobby')
      const made = await rita.post('/api/accounts', newAccount('alice'))
      expect(made.body.data).toMatchObject({ username: 'alice', reseller_id: ritaId, plan: 'free' })
      const me = dataOf<Reseller>(await rita.get('/api/resellers/me'))
      expect(me).toMatchObject({
        accounts: { used: 1, limit: 3 },
        domains: { used: 1, limit: 5 },
        disk_mb: { used: 500, limit: 5600 },
        bandwidth_mb: { used: 10_000, limit: null },
      })
      for (const path of ['accounts', 'domains', 'php/config', 'backups/schedules/accounts']) {
        const { status, body } = await rita.get(`/api/${path}`)
        expect([path, status]).toEqual([path, 200])
        expect(JSON.stringify(body)).toContain('alice')
        expect(JSON.stringify(body)).not.toContain('bobby')
      }
      expect((await rita.get('/api/plans')).body.data).toMatchObject([
        { name: 'free', accounts: 1 },
        { name: 'pro', accounts: 0 },
      ])
      const ids = [await idOf('alice'), await idOf('bobby')]
      const php = await rita.post('/api/php/version', { account_ids: ids, version: '8.1' })
      expect(php.status).toBe(404)
      const totals = await rita.get(`/api/accounts/totals?ids=${await idOf('bobby')}`)
      expect(totals.status).toBe(404)
    })

    test('lists databases and backups of his accounts alone', async () => {
      const databases = ['alice', 'bobby'].map((name) => `${name}_all`)
      for (const name of ['alice', 'bobby']) {
        const id = await idOf(name)
        const database = { account_id: id, db_name: 'all', db_password: 'long enough' }
        expect((await shared.admin.post('/api/databases', database)).status).toBe(200)
        for (const kind of ['accounts', 'snapshots/accounts'])
          expect((await shared.admin.post(`/api/backups/${kind}/${id}`)).status).toBe(200)
      }
      const names = async (path: string) =>
        dataOf<{ username: string }[]>(await rita.get(path)).map(({ username }) => username)
      expect(await names('/api/databases?q=_all')).toEqual(['alice'])
      for (const list of ['/api/backups', '/api/backups/snapshots'])
        expect(await names(list)).toEqual(['alice'])
      const all = await shared.admin.get('/api/databases?sort=username&q=_all')
      expect(dataOf<{ database: string }[]>(all).map(({ database }) => database)).toEqual(databases)
      for (const name of ['alice', 'bobby'])
        await shared.admin.del(`/api/databases/${await idOf(name)}/all`)
    })

    test('sees what became of mails of his accounts, and reads none', async () => {
      const { mail } = shared.instance.host
      const own = mail.put({ username: 'alice' }, 'Subject: x\r\n\r\ntext')
      const path = `/api/mail/messages/${own.id}`
      expect((await rita.get(path)).body.data).toMatchObject({ id: own.id })
      expect((await rita.get(`${path}/source`)).status).toBe(403)
      expect((await rita.post(`${path}/retry`)).status).toBe(200)
      for (const username of ['bobby', null]) {
        const { id } = mail.put({ username }, 'Subject: x\r\n\r\ntext')
        const other = `/api/mail/messages/${id}`
        expect((await rita.get(other)).status).toBe(404)
        expect((await rita.get(`${other}/source`)).status).toBe(404)
        expect((await rita.del(other)).status).toBe(404)
      }
      expect((await rita.del(path)).status).toBe(200)
    })

    test('no field makes anybody more than he is', async () => {
      const alice = await idOf('alice')
      for (const extra of [{ role: 'admin' }, { reseller_id: 4711 }, { accounts_limit: null }]) {
        const answer = await rita.post('/api/accounts', { ...newAccount('eve'), ...extra })
        if (answer.status === 200) {
          expect(answer.body.data).toMatchObject({ reseller_id: ritaId })
          await rita.del(`/api/accounts/${dataOf<{ id: number }>(answer).id}`)
        } else expect([400, 403]).toContain(answer.status)
      }
      expect((await patch(rita, `/api/accounts/${alice}`, { reseller_id: 1 })).status).toBe(400)
      expect((await patch(rita, `/api/resellers/${ritaId}`, { accounts_limit: 9 })).status).toBe(
        403,
      )
      expect((await rita.post(`/api/accounts/${alice}/move`, { reseller_id: null })).status).toBe(
        403,
      )
      expect((await rita.post('/api/users', { username: 'mine', password: PASSWORD })).status).toBe(
        403,
      )
    })

    test('plans and quotas keep within his plans, the plan and his limits', async () => {
      const alice = await idOf('alice')
      const change = (body: object) => patch(rita, `/api/accounts/${alice}`, body)
      expect((await change({ plan: 'business' })).status).toBe(403)
      const above = await change({ disk_quota_mb: 501 })
      expect([above.status, above.headers.get('x-error-field')]).toEqual([403, 'disk_quota_mb'])
      const made = await rita.post('/api/accounts', { ...newAccount('carla'), disk_quota_mb: 501 })
      expect(made.status).toBe(403)
      // 5000 of alice and 500 of carla are within 5600, but no second 5000.
      expect((await change({ plan: 'pro' })).body.data).toMatchObject({ disk_quota_mb: 5000 })
      expect((await rita.post('/api/accounts', newAccount('carla'))).status).toBe(200)
      const carla = await idOf('carla')
      const second = await patch(rita, `/api/accounts/${carla}`, { plan: 'pro' })
      expect([second.status, second.body.error]).toEqual([
        403,
        "The reseller's limit of disk space that may be promised to accounts is reached. Give something back, or ask the administrator of the server for more.",
      ])
      const small = await change({ disk_quota_mb: 4000 })
      expect(small.body.data).toMatchObject({ disk_quota_mb: 4000 })
      // What was set for the account alone does not outgrow a smaller plan.
      const down = await change({ plan: 'free' })
      expect(down.body.data).toMatchObject({ plan: 'free', disk_quota_mb: 500 })
      await rita.del(`/api/accounts/${carla}`)
    })

    test('twenty creations at once keep within the limit', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `many${index}`)
      const answers = await Promise.all(
        names.map((name) => rita.post('/api/accounts', newAccount(name))),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(2)
      expect(new Set(statuses)).toEqual(new Set([200, 403]))
      const alice = await idOf('alice')
      const domains = await Promise.all(
        names.map((name) =>
          rita.post('/api/domains', {
            account_id: alice,
            domain_name: `${name}-more.example`,
            domain_type: 'addon',
            document_root: `/home/alice/${name}`,
          }),
        ),
      )
      // Three primary domains, five at most.
      expect(domains.filter(({ status }) => status === 200)).toHaveLength(2)
      const database = (db_name: string) =>
        rita.post('/api/databases', { account_id: alice, db_name, db_password: 'long enough' })
      const databases = await Promise.all(['one', 'two', 'three'].map(database))
      expect(databases.map(({ status }) => status).sort()).toEqual([200, 403, 403])
      for (const [index, { status, body }] of answers.entries())
        if (status === 200) {
          const { id } = body.data as { id: number }
          expect([names[index], (await rita.del(`/api/accounts/${id}`)).status]).toEqual([
            names[index],
            200,
          ])
        }
    })

    test('enters his accounts and no others, and both names stand in the audit log', async () => {
      const [alice, bobby] = [await idOf('alice'), await idOf('bobby')]
      expect((await rita.post(`/api/accounts/${bobby}/login`)).status).toBe(404)
      const visit = await rita.post(`/api/accounts/${alice}/login`)
      expect(visit.body.data).toMatchObject({ user: { role: 'account', acting_admin: 'rita' } })
      const { token } = dataOf<{ token: string }>(visit)
      const inside = apiClient(shared.instance, token)
      expect((await inside.get('/api/auth/me')).body.data).toMatchObject({ username: 'alice' })
      const email = { email: 'new@mail.example' }
      expect((await patch(inside, `/api/accounts/${alice}`, email)).status).toBe(403)
      const folder = { account_id: alice, path: 'public_html/from-rita' }
      expect((await inside.post('/api/files/mkdir', folder)).status).toBe(200)
      const own = dataOf<{ actor: string; via: string | null; address: string }[]>(
        await rita.get('/api/audit'),
      )
      expect(own).toEqual(
        expect.arrayContaining([expect.objectContaining({ actor: 'alice', via: 'rita' })]),
      )
      expect(JSON.stringify(own)).not.toContain('bobby')
      expect((await rita.get(`/api/audit?account_id=${bobby}`)).status).toBe(404)
      // From where administrators come cannot be found by searching for it either.
      const place = '198.51.100.77'
      const headers = {
        authorization: `Bearer ${shared.admin.token}`,
        'content-type': 'application/json',
      }
      const change = { method: 'PATCH', headers, body: JSON.stringify({ plan: 'free' }) }
      await shared.instance.fetch(`/api/accounts/${alice}`, change, place)
      const search = async (client: ApiClient, path: string) =>
        dataOf<unknown[]>(await client.get(`${path}?q=${place}`)).length
      expect(await search(shared.admin, '/api/audit')).toBe(1)
      expect(await search(rita, '/api/audit')).toBe(0)
      expect(await search(inside, `/api/accounts/${alice}/activity`)).toBe(0)
      const wide = { name: 'wide', scopes: ['read'], account_id: alice }
      expect((await rita.post('/api/tokens', wide)).status).toBe(400)
      const back = await inside.post('/api/auth/return')
      expect(back.body.data).toMatchObject({ user: { role: 'reseller', username: 'rita' } })
      rita.token = dataOf<{ token: string }>(back).token
    })

    test('an account that goes to another reseller is out of reach at once, visits too', async () => {
      const alice = await idOf('alice')
      const olga = await make('olga', { accounts_limit: 1, plans: ['free'] })
      const visit = apiClient(
        shared.instance,
        dataOf<{ token: string }>(await rita.post(`/api/accounts/${alice}/login`)).token,
      )
      const upload = await holdUpload(shared.instance, rita, alice, 'late.txt')
      const invited = await rita.post(`/api/accounts/${alice}/invitations`, {
        email: 'rita@mail.example',
        role: 'owner',
      })
      const moved = await shared.admin.post(`/api/accounts/${alice}/move`, { reseller_id: olga.id })
      expect(moved.body.data).toMatchObject({ reseller_id: olga.id })
      expect((await visit.get('/api/auth/me')).status).toBe(401)
      expect(await upload.finish()).toBe(404)
      const { token: link } = dataOf<{ token: string }>(invited)
      const look = await visit.post('/api/auth/invitation/look', { token: link })
      expect(look.status).toBe(404)
      expect((await rita.get(`/api/accounts/${alice}`)).status).toBe(404)
      // Neither what he may give nor how much is passed by a move.
      const bobby = await idOf('bobby')
      const full = await shared.admin.post(`/api/accounts/${bobby}/move`, { reseller_id: olga.id })
      expect(full.status).toBe(403)
      await patch(shared.admin, `/api/resellers/${olga.id}`, { accounts_limit: 2, plans: ['pro'] })
      const noPlan = await shared.admin.post(`/api/accounts/${bobby}/move`, {
        reseller_id: olga.id,
      })
      expect([noPlan.status, noPlan.headers.get('x-error-field')]).toEqual([403, 'plan'])
      expect((await shared.admin.del(`/api/resellers/${olga.id}`)).status).toBe(409)
      const gone = await shared.admin.del(`/api/resellers/${olga.id}?accounts_to=${ritaId}`)
      expect(gone.status).toBe(200)
      expect((await rita.get(`/api/accounts/${alice}`)).status).toBe(200)
    })

    test('suspension ends his sessions and tokens, and closes exactly what it opens again', async () => {
      const own = await rita.post('/api/tokens', { name: 'own', scopes: ['read'] })
      const program = apiClient(shared.instance, dataOf<{ token: string }>(own).token)
      expect((await program.get('/api/accounts')).status).toBe(200)
      await rita.post('/api/accounts', newAccount('dora'))
      const [alice, dora] = [await idOf('alice'), await idOf('dora')]
      await rita.post(`/api/accounts/${dora}/suspend`, { reason: 'unpaid' })
      const suspended = await shared.admin.post(`/api/resellers/${ritaId}/suspend`, {
        reason: 'left',
        with_accounts: true,
      })
      expect(suspended.body.data).toMatchObject({ status: 'suspended', suspend_reason: 'left' })
      expect((await rita.get('/api/accounts')).status).toBe(401)
      expect((await program.get('/api/accounts')).status).toBe(401)
      const state = async (id: number) =>
        dataOf<{ status: string }>(await shared.admin.get(`/api/accounts/${id}`)).status
      expect([await state(alice), await state(dora)]).toEqual(['suspended', 'suspended'])
      const refused = await apiClient(shared.instance).post('/api/auth/login', {
        username: 'rita',
        password: PASSWORD,
      })
      expect(refused.status).toBe(401)
      const to = await shared.admin.post('/api/accounts', {
        ...newAccount('fritz'),
        reseller_id: ritaId,
      })
      expect(to.status).toBe(409)
      expect((await shared.admin.post(`/api/resellers/${ritaId}/suspend`)).status).toBe(409)
      await shared.admin.post(`/api/resellers/${ritaId}/unsuspend`)
      expect([await state(alice), await state(dora)]).toEqual(['active', 'suspended'])
      rita = await login('rita')
      expect((await program.get('/api/accounts')).status).toBe(401)
    })

    test('names are taken only once, among all users of the panel', async () => {
      const named = (username: string) =>
        shared.admin.post('/api/resellers', { username, password: PASSWORD })
      for (const name of ['RITA', 'boss', 'alice'])
        expect([name, (await named(name)).status]).toEqual([name, 409])
      expect((await shared.admin.post('/api/accounts', newAccount('rita'))).status).toBe(409)
      const user = { username: 'Rita', password: PASSWORD }
      expect((await shared.admin.post('/api/users', user)).status).toBe(409)
      expect((await named('Mixed')).status).toBe(200)
      expect((await shared.admin.post('/api/accounts', newAccount('mixed'))).status).toBe(409)
      const plan = { username: 'third', password: PASSWORD, plans: ['nothere'] }
      expect((await shared.admin.post('/api/resellers', plan)).status).toBe(400)
    })
  })
}
