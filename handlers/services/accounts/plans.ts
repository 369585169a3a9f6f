import { isBuiltInPlan, parsePlanName } from '../../domain/accounts/plan.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, notFound } from '../../errors.ts'
import type { UsedPlan } from '../../ports/store/plan-store.ts'
import type { PlanLimits } from '../../ports/store/records.ts'
import { ACCOUNT_LIMITS } from './changes.ts'
import type { Journal } from '../journal/journal.ts'
import { planOf, requireAccount, requirePlan } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** A plan as the API shows it. */
export type PlanView = UsedPlan & { built_in: boolean }

/** How much an account has of one thing, and how much its plan gives. */
interface Share {
  used: number
  limit: number
}

/** What the plan of an account gives it, and how much of it is taken. */
export interface AccountLimits {
  plan: string
  /** The plan's; the account may have its own. */
  plan_disk_quota_mb: number
  plan_bandwidth_quota_mb: number
  domains: Share
  databases: Share
  database_users: Share
  tokens: Share
  /** On this host. */
  backups: Share
  cron_jobs: Share
  ssh_keys: Share
  people: Share
  sftp_users: Share
  database_addresses: Share
  applications: Share
  /** One or none. */
  shells: Share
  processes_limit: number
  memory_limit_mb: number
  /** 0: no limit. */
  memory_total_mb: number
  cpu_weight: number
  /** 0: no limit. */
  cpu_percent: number
  io_weight: number
}

/** Hosting plans, the built-in ones among them. */
export interface Plans {
  /** Smallest disk quota first; of a reseller those that he may give, and of their accounts his. */
  list(resellerId?: number): Promise<PlanView[]>
  /** 404. */
  get(name: string, resellerId?: number): Promise<PlanView>
  /** 400 naming `plan` when there is none of that name. */
  assertIsThere(name: string): Promise<void>
  /** 400 bad name, 409 duplicate. */
  create(name: string, limits: PlanLimits): Promise<PlanView>
  /** 404. Answers when the records say so; the host is told afterwards, account by account. */
  change(name: string, limits: Partial<PlanLimits>): Promise<PlanView>
  /** 404, 409 for a plan that accounts have or that is built in. */
  remove(name: string): Promise<void>
  /** 404 for an unknown account. */
  ofAccount(accountId: number): Promise<AccountLimits>
}

const view = (row: UsedPlan): PlanView => ({ ...row, built_in: isBuiltInPlan(row.name) })

export const createPlans = (
  deps: Pick<ServiceDeps, 'store' | 'clock' | 'background'> & { journal: Journal },
): Plans => {
  const { store, clock, background, journal } = deps

  const ofReseller = async (id: number): Promise<PlanView[]> => {
    const [rows, accounts] = await Promise.all([store.listPlans(), store.accountsOfReseller(id)])
    const may = await Promise.all(rows.map(({ name }) => store.mayGivePlan(id, name)))
    return rows
      .filter((_, index) => may[index])
      .map((row) => ({
        ...view(row),
        accounts: accounts.filter(({ plan }) => plan === row.name).length,
      }))
  }
  const get = async (name: string, resellerId?: number): Promise<PlanView> => {
    const row =
      resellerId === undefined
        ? await store.planByName(name)
        : (await ofReseller(resellerId)).find((one) => one.name === name)
    if (row === null || row === undefined)
      throw notFound(`Plan ${name} not found. List the plans to see their names.`)
    return view(row)
  }

  return {
    get,
    async assertIsThere(name) {
      await requirePlan(store, name)
    },
    list: async (resellerId) =>
      resellerId === undefined ? (await store.listPlans()).map(view) : ofReseller(resellerId),
    async create(input, limits) {
      const name = parsePlanName(input)
      const now = timestamp(clock.nowMs())
      const made = await store.insertPlan({ name, ...limits, created_at: now, updated_at: now })
      if (made === 'duplicate') throw conflict(`Plan ${name} exists already.`, 'name')
      return view(made)
    },
    async change(name, limits) {
      await get(name)
      const now = timestamp(clock.nowMs())
      const opened = await store.updatePlan(name, limits, now, ACCOUNT_LIMITS)
      const subjects = opened.map(({ subject }) => subject)
      // A plan may have thousands of accounts, and what they may have is decided by the records.
      if (subjects.length > 0)
        background.run(`limits of plan ${name}`, () => journal.settleSubjects(subjects))
      return get(name)
    },
    async remove(name) {
      const plan = await get(name)
      if (plan.built_in) {
        throw conflict(`Plan ${name} is built in and always there. Its limits may be changed.`)
      }
      if ((await store.deletePlan(name)) === 'used') {
        const { accounts } = await get(name)
        throw conflict(
          `Plan ${name} is that of ${accounts} ${accounts === 1 ? 'account' : 'accounts'}. Give them another plan first.`,
        )
      }
    },
    async ofAccount(accountId) {
      const account = await requireAccount(store, accountId)
      const [plan, usage] = await Promise.all([
        planOf(store, account),
        store.accountUsage(accountId),
      ])
      return {
        plan: plan.name,
        plan_disk_quota_mb: plan.disk_quota_mb,
        plan_bandwidth_quota_mb: plan.bandwidth_quota_mb,
        domains: { used: usage.domains, limit: plan.domains_limit },
        databases: { used: usage.databases, limit: plan.databases_limit },
        database_users: { used: usage.database_users, limit: plan.database_users_limit },
        tokens: { used: usage.tokens, limit: plan.tokens_limit },
        backups: { used: usage.backups, limit: plan.backups_limit },
        cron_jobs: { used: usage.cron_jobs, limit: plan.cron_jobs_limit },
        ssh_keys: { used: usage.ssh_keys, limit: plan.ssh_keys_limit },
        people: { used: usage.people, limit: plan.people_limit },
        sftp_users: { used: usage.sftp_users, limit: plan.sftp_users_limit },
        database_addresses: {
          used: usage.database_addresses,
          limit: plan.database_addresses_limit,
        },
        applications: { used: usage.applications, limit: plan.applications_limit },
        shells: { used: usage.shells, limit: plan.shells_limit },
        processes_limit: plan.processes_limit,
        memory_limit_mb: plan.memory_limit_mb,
        memory_total_mb: plan.memory_total_mb,
        cpu_weight: plan.cpu_weight,
        cpu_percent: plan.cpu_percent,
        io_weight: plan.io_weight,
      }
    },
  }
}
