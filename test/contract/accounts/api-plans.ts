import { beforeAll, expect, test } from 'vitest'
import type { ApiClient, MakeApiInstance } from '../frame/api-instance.ts'
import { accountClient, apiClient, createAccount, newAccount } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'

const GOLD = {
  disk_quota_mb: 700,
  bandwidth_quota_mb: 9000,
  domains_limit: 2,
  databases_limit: 1,
  tokens_limit: 1,
  backups_limit: 1,
  cron_jobs_limit: 1,
  ssh_keys_limit: 1,
  database_users_limit: 2,
  mails_per_hour_limit: 30,
  people_limit: 1,
  sftp_users_limit: 1,
  database_addresses_limit: 1,
  applications_limit: 3,
  shells_limit: 1,
  processes_limit: 60,
  memory_limit_mb: 600,
  memory_total_mb: 1200,
  cpu_weight: 50,
  cpu_percent: 150,
  io_weight: 70,
}

/** Limits of the host's accounts are set after the answer. */
const eventually = async (check: () => void): Promise<void> => {
  for (let tries = 0; ; tries++) {
    try {
      return check()
    } catch (error) {
      if (tries === 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** Plans, and what their limits bind. */
export const plansContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('plans', makeInstance, (shared) => {
    const patch = (name: string, body: unknown, client: ApiClient = shared.admin) =>
      client.send('PATCH', `/api/plans/${name}`, body)
    const names = async () =>
      ((await shared.admin.get('/api/plans')).body.data as { name: string }[]).map(
        ({ name }) => name,
      )

    test('three are built in, and stay', async () => {
      expect(await names()).toEqual(['free', 'pro', 'business'])
      const free = await shared.admin.del('/api/plans/free')
      expect([free.status, free.body.error]).toEqual([
        409,
        'Plan free is built in and always there. Its limits may be changed.',
      ])
      expect((await shared.admin.get('/api/plans/free')).body.data).toMatchObject({
        built_in: true,
        domains_limit: 5,
        accounts: 0,
      })
    })

    test('limits that came later may be left out, so that who made plans before still can', async () => {
      const { cron_jobs_limit: _1, ssh_keys_limit: _2, ...later } = GOLD
      const { database_users_limit: _3, people_limit: _4, ...latest } = later
      const { mails_per_hour_limit: _6, sftp_users_limit: _sftp, ...former } = latest
      const {
        database_addresses_limit: _addresses,
        shells_limit: _shells,
        applications_limit: _apps,
        ...shared1
      } = former
      const { memory_total_mb: _total, cpu_weight: _weight, ...shared2 } = shared1
      const { cpu_percent: _percent, io_weight: _io, ...first } = shared2
      const made = await shared.admin.post('/api/plans', { name: 'early', ...first })
      expect(made.body.data).toMatchObject({
        cron_jobs_limit: 5,
        ssh_keys_limit: 5,
        database_users_limit: 5,
        mails_per_hour_limit: 100,
        people_limit: 5,
        sftp_users_limit: 3,
        database_addresses_limit: 3,
        applications_limit: 2,
        shells_limit: 0,
        memory_total_mb: 2048,
        cpu_weight: 100,
        cpu_percent: 0,
        io_weight: 100,
      })
      const { tokens_limit: _5, ...less } = GOLD
      const refused = await shared.admin.post('/api/plans', { name: 'less', ...less })
      expect([refused.status, refused.headers.get('x-error-field')]).toEqual([400, 'tokens_limit'])
      expect((await shared.admin.del('/api/plans/early')).status).toBe(200)
    })

    test('one is made, had, changed, and deleted when nobody has it', async () => {
      const made = await shared.admin.post('/api/plans', { name: 'Gold', ...GOLD })
      expect(made.body.data).toMatchObject({ name: 'gold', built_in: false, accounts: 0, ...GOLD })
      expect((await shared.admin.post('/api/plans', { name: 'gold', ...GOLD })).status).toBe(409)
      const alice = { ...newAccount('alice'), plan: 'gold' }
      expect((await shared.admin.post('/api/accounts', alice)).body.data).toMatchObject({
        plan: 'gold',
        disk_quota_mb: 700,
        bandwidth_quota_mb: 9000,
      })
      const { made: users } = shared.instance.host.users
      expect(users.get('alice')?.limits).toEqual({
        ...{ processes: 60, memoryMb: 600, memoryTotalMb: 1200 },
        ...{ cpuWeight: 50, cpuPercent: 150, ioWeight: 70 },
      })
      const used = await shared.admin.del('/api/plans/gold')
      expect([used.status, used.body.error]).toEqual([
        409,
        'Plan gold is that of 1 account. Give them another plan first.',
      ])
      const changed = await patch('gold', { disk_quota_mb: 900, processes_limit: 70 })
      expect(changed.body.data).toMatchObject({ ...GOLD, disk_quota_mb: 900, processes_limit: 70 })
      expect((await shared.admin.get('/api/accounts/1')).body.data).toMatchObject({
        disk_quota_mb: 900,
        bandwidth_quota_mb: 9000,
      })
      await eventually(() =>
        expect(users.get('alice')).toMatchObject({
          diskQuotaMb: 900,
          limits: { processes: 70, memoryMb: 600, memoryTotalMb: 1200 },
        }),
      )
      const free = await shared.admin.send('PATCH', '/api/accounts/1', { plan: 'free' })
      expect(free.status).toBe(200)
      expect(users.get('alice')?.limits).toEqual({
        ...{ processes: 50, memoryMb: 512, memoryTotalMb: 2048 },
        ...{ cpuWeight: 100, cpuPercent: 0, ioWeight: 100 },
      })
      expect((await shared.admin.del('/api/plans/gold')).status).toBe(200)
      expect((await shared.admin.get('/api/plans/gold')).status).toBe(404)
      const gone = await shared.admin.send('PATCH', '/api/accounts/1', { plan: 'gold' })
      expect([gone.status, gone.body.error]).toEqual([
        400,
        'plan must be one of free, pro, business.',
      ])
    })

    test.each([
      ['name', { name: 'x' }],
      ['name', { name: '1gold' }],
      ['name', { name: 'premium' }],
      ['name', { name: undefined }],
      ['domains_limit', { domains_limit: 0 }],
      ['databases_limit', { databases_limit: -1 }],
      ['tokens_limit', { tokens_limit: 101 }],
      ['processes_limit', { processes_limit: 2 }],
      ['memory_limit_mb', { memory_limit_mb: 1.5 }],
      ['disk_quota_mb', { disk_quota_mb: undefined }],
    ])('%s is refused as in %j', async (field, change) => {
      const answer = await shared.admin.post('/api/plans', { name: 'tin', ...GOLD, ...change })
      expect([answer.status, answer.headers.get('x-error-field')]).toEqual([400, field])
      expect(answer.body.error).toContain(field)
    })

    test('are for administrators', async () => {
      const alice = await accountClient(shared.instance, 'alice')
      const nobody = apiClient(shared.instance)
      for (const [client, status] of [
        [alice, 403],
        [nobody, 401],
      ] as const) {
        expect((await client.get('/api/plans')).status).toBe(status)
        expect((await client.get('/api/plans/free')).status).toBe(status)
        expect((await client.post('/api/plans', { name: 'tin', ...GOLD })).status).toBe(status)
        expect((await patch('free', { domains_limit: 100 }, client)).status).toBe(status)
        expect((await client.del('/api/plans/free')).status).toBe(status)
      }
      expect((await patch('free', {})).body.error).toContain('Nothing to change')
      expect((await patch('tin', { domains_limit: 4 })).status).toBe(404)
    })
  })

  apiGroup('limits of a plan', makeInstance, (shared) => {
    let alice: ApiClient
    const domain = (name: string, client = alice) =>
      client.post('/api/domains', {
        account_id: 1,
        domain_name: name,
        domain_type: 'addon',
        document_root: `/home/alice/${name}`,
      })
    const database = (name: string, client = alice) =>
      client.post('/api/databases', {
        account_id: 1,
        db_name: name,
        db_password: 'long enough',
      })
    const token = (name: string, client = alice) =>
      client.post('/api/tokens', { name, scopes: ['read'], account_id: 1 })
    const job = (name: string, client = alice) =>
      client.post('/api/cron', {
        account_id: 1,
        name,
        schedule: '@daily',
        kind: 'shell',
        command: 'true',
      })
    const backup = (client = alice) => client.post('/api/backups/accounts/1')

    beforeAll(async () => {
      await shared.admin.post('/api/plans', { name: 'tiny', ...GOLD })
      await shared.admin.post('/api/accounts', { ...newAccount('alice'), plan: 'tiny' })
      alice = await accountClient(shared.instance, 'alice')
    })

    test.each([
      ['domains', (n: number) => domain(`d${n}.example`), '2 of the 2 domains'],
      ['databases', (n: number) => database(`d${n}`), '1 of the 1 databases'],
      ['API tokens', (n: number) => token(`t${n}`), '1 of the 1 API tokens'],
      ['cron jobs', (n: number) => job(`j${n}`), '1 of the 1 cron jobs'],
      ['backups', () => backup(), '1 of the 1 backups'],
    ])('of parallel creations of %s the last free place is had once', async (_, make, text) => {
      const answers = await Promise.all([make(1), make(2), make(3)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403])
      const error = answers.find(({ status }) => status === 403)?.body.error
      expect(error).toBe(
        `Account alice has ${text} that its plan tiny allows. Delete one that is not needed, or ask the administrator for a larger plan.`,
      )
    })

    test('do not bind an administrator, and are shown with what is used', async () => {
      for (const made of [
        domain('more.example', shared.admin),
        database('more', shared.admin),
        token('more', shared.admin),
        job('more', shared.admin),
        backup(shared.admin),
      ])
        expect((await made).status).toBe(200)
      for (const client of [alice, shared.admin])
        expect((await client.get('/api/accounts/1/limits')).body.data).toEqual({
          plan: 'tiny',
          plan_disk_quota_mb: 700,
          plan_bandwidth_quota_mb: 9000,
          domains: { used: 3, limit: 2 },
          databases: { used: 2, limit: 1 },
          tokens: { used: 2, limit: 1 },
          backups: { used: 2, limit: 1 },
          cron_jobs: { used: 2, limit: 1 },
          ssh_keys: { used: 0, limit: 1 },
          database_users: { used: 0, limit: 2 },
          people: { used: 0, limit: 1 },
          sftp_users: { used: 0, limit: 1 },
          database_addresses: { used: 0, limit: 1 },
          applications: { used: 0, limit: 3 },
          shells: { used: 0, limit: 1 },
          processes_limit: 60,
          memory_limit_mb: 600,
          memory_total_mb: 1200,
          cpu_weight: 50,
          cpu_percent: 150,
          io_weight: 70,
        })
      expect((await domain('over.example')).body.error).toContain('has 3 of the 2 domains')
    })

    test('are shown to their own account alone', async () => {
      await createAccount(shared.admin, 'bobby')
      const bobby = await accountClient(shared.instance, 'bobby')
      expect((await bobby.get('/api/accounts/1/limits')).status).toBe(404)
      expect((await shared.admin.get('/api/accounts/99/limits')).status).toBe(404)
      expect((await apiClient(shared.instance).get('/api/accounts/1/limits')).status).toBe(401)
    })
  })

  apiGroup('domains of the licence', makeInstance, (shared) => {
    test('one account leaves a domain to each account that is still allowed', async () => {
      await shared.admin.post('/api/accounts', { ...newAccount('greedy'), plan: 'business' })
      const greedy = await accountClient(shared.instance, 'greedy')
      const add = (client: ApiClient, number: number) =>
        client.post('/api/domains', {
          account_id: 1,
          domain_name: `greedy${number}.example`,
          domain_type: 'addon',
          document_root: `/home/greedy/${number}`,
        })
      // Community: 10 domains, 5 accounts, of which 4 may still come.
      const tries = await Promise.all(
        Array.from({ length: 10 }, (_, number) => add(greedy, number)),
      )
      expect(tries.filter(({ status }) => status === 200)).toHaveLength(5)
      const refused = tries.filter(({ status }) => status === 403)
      expect(refused).toHaveLength(5)
      expect(refused[0]?.body.error).toBe(
        'This server has 6 of the 10 domains of its license, and the last 4 are kept for accounts that are still to come. Ask the administrator to add this domain or to upgrade the license.',
      )
      for (const name of ['first1', 'second', 'third3']) await createAccount(shared.admin, name)
      expect((await add(greedy, 20)).status).toBe(403)
      expect((await add(shared.admin, 21)).status).toBe(200)
      const last = await shared.admin.post('/api/accounts', newAccount('fourth'))
      expect([last.status, last.body.error]).toEqual([
        403,
        'Domain limit reached (10/10). Upgrade your license for more.',
      ])
    })
  })
}
