import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccountRow } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const LATER = '2026-11-02 12:00:00'
const LIMITS = {
  disk_quota_mb: 700,
  bandwidth_quota_mb: 9000,
  domains_limit: 3,
  databases_limit: 3,
  tokens_limit: 3,
  backups_limit: 3,
  cron_jobs_limit: 3,
  ssh_keys_limit: 4,
  database_users_limit: 6,
  mails_per_hour_limit: 40,
  people_limit: 4,
  sftp_users_limit: 6,
  database_addresses_limit: 6,
  applications_limit: 3,
  shells_limit: 1,
  processes_limit: 60,
  memory_limit_mb: 600,
  memory_total_mb: 1200,
  cpu_weight: 50,
  cpu_percent: 150,
  io_weight: 70,
}

/** Plans and what they bound, in every store. */
export const plansStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`plans in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    const add = async (username: string, change: Partial<AccountRow> = {}): Promise<number> => {
      const limits = { accounts: -1, domains: -1 }
      const row = account(username, { status: 'active', ...change })
      const opened = operation(username, { state: 'done' })
      const made = await store.insertAccount(row, domain(`${username}.example`), opened, limits)
      if (typeof made === 'string') throw new Error(made)
      return made.account.id
    }
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    test('three are there from the beginning, with their figures', async () => {
      const plans = await store.listPlans()
      expect(
        plans.map((plan) => [
          plan.name,
          plan.disk_quota_mb,
          plan.bandwidth_quota_mb,
          plan.domains_limit,
          plan.databases_limit,
          plan.database_users_limit,
          plan.tokens_limit,
          plan.backups_limit,
          plan.cron_jobs_limit,
          plan.ssh_keys_limit,
          plan.mails_per_hour_limit,
          plan.people_limit,
          plan.processes_limit,
          plan.memory_limit_mb,
        ]),
      ).toEqual([
        ['free', 500, 10_000, 5, 5, 5, 5, 5, 5, 5, 100, 5, 50, 512],
        ['pro', 5000, 100_000, 25, 25, 25, 10, 20, 25, 25, 500, 25, 100, 2048],
        ['business', 50_000, 1_000_000, 200, 200, 100, 50, 60, 100, 100, 2000, 100, 200, 8192],
      ])
    })

    test('one is made, once, and goes only while no account has it', async () => {
      const row = { name: 'gold', ...LIMITS, created_at: NOW, updated_at: NOW }
      expect(await store.insertPlan(row)).toEqual({ ...row, accounts: 0 })
      expect(await store.insertPlan(row)).toBe('duplicate')
      await add('golden', { plan: 'gold' })
      expect(await store.planByName('gold')).toEqual({ ...row, accounts: 1 })
      expect(await store.deletePlan('gold')).toBe('used')
      await store.insertPlan({ ...row, name: 'silver' })
      expect(await store.deletePlan('silver')).toBe('done')
      expect(await store.planByName('silver')).toBeNull()
    })

    test('no account gets a plan that is not there', async () => {
      const limits = { accounts: -1, domains: -1 }
      const row = account('nobody', { plan: 'silver', status: 'active' })
      const made = await store.insertAccount(
        row,
        domain('nobody.example'),
        operation('nobody', { state: 'done' }),
        limits,
      )
      expect(made).toBe('no-plan')
      expect(await store.accountByName('nobody')).toBeNull()
      const golden = await store.accountByName('golden')
      await store.updateAccount(golden?.id ?? 0, { plan: 'silver', email: 'x@y.example' })
      expect(await store.accountByName('golden')).toMatchObject({
        plan: 'gold',
        email: 'golden@mail.example',
      })
    })

    test('quotas follow a change where they were the plan’s, and the host is to be told', async () => {
      const follows = await add('follows', { plan: 'gold', disk_quota_mb: 700 })
      const own = await add('ownquota', { plan: 'gold', disk_quota_mb: 12 })
      const making = await add('making', { plan: 'gold', status: 'creating', disk_quota_mb: 700 })
      const other = await add('other', { disk_quota_mb: 700 })
      const change = { disk_quota_mb: 800, domains_limit: 4 }
      const opened = await store.updatePlan('gold', change, LATER, 'account.quota')
      const quotas = await Promise.all(
        [follows, own, making, other].map(
          async (id) => (await store.accountById(id))?.disk_quota_mb,
        ),
      )
      expect(quotas).toEqual([800, 12, 800, 700])
      expect(await store.planByName('gold')).toMatchObject({
        ...LIMITS,
        ...change,
        updated_at: LATER,
      })
      expect(opened.map((one) => [one.subject, one.kind, one.state]).sort()).toEqual([
        ['follows', 'account.quota', 'open'],
        ['golden', 'account.quota', 'open'],
        ['ownquota', 'account.quota', 'open'],
      ])
      expect(opened.find((one) => one.subject === 'follows')?.data).toEqual({ account_id: follows })
      const known = (await store.openOperations()).map(({ id }) => id)
      expect(opened.map(({ id }) => id).sort()).toEqual(known.sort())
      expect(await store.updatePlan('nothing', change, LATER, 'account.quota')).toEqual([])
    })

    test('parallel creations take the last free place once', async () => {
      const id = await add('racer')
      const domains = await Promise.all(
        [1, 2, 3, 4].map((number) =>
          store.insertDomain(
            { account_id: id, ...domain(`race${number}.example`), domain_type: 'addon' as const },
            operation('racer', { state: 'done' }),
            { total: -1, ofAccount: 2 },
          ),
        ),
      )
      expect(domains.filter((one) => one === 'account-limit')).toHaveLength(3)
      const databases = await Promise.all(
        [1, 2, 3].map((number) =>
          store.insertDatabase(
            {
              account_id: id,
              engine: 'mariadb',
              database_name: `racer_${number}`,
              database_user: `racer_${number}`,
              host: 'localhost',
              created_at: NOW,
            },
            operation('racer', { state: 'done' }),
            1,
          ),
        ),
      )
      expect(databases.filter((one) => one === 'limit')).toHaveLength(2)
      expect(await store.accountUsage(id)).toEqual({
        domains: 2,
        databases: 1,
        tokens: 0,
        backups: 0,
        cron_jobs: 0,
        ssh_keys: 0,
        database_users: 0,
        people: 0,
        sftp_users: 0,
        database_addresses: 0,
        applications: 0,
        shells: 0,
      })
    })
  })
}
