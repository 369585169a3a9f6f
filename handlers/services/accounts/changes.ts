import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { assertWithinPlan } from '../../domain/accounts/plan.ts'
import { resellerShort } from '../../domain/accounts/reseller-limits.ts'
import { notFound, unavailable } from '../../errors.ts'
import type { AccountRow, OperationRow, PlanRow } from '../../ports/store/records.ts'
import { attemptId } from '../journal/attempts.ts'
import type { AccountView } from './view.ts'
import { accountView } from './view.ts'
import type { Journal, OperationKind, Step } from '../journal/journal.ts'
import {
  ACCOUNT_NOT_FOUND,
  planOf,
  requireAccount,
  requirePlan,
  requireSettledAccount,
} from '../records/lookup.ts'
import type { SftpTurn } from '../sftp/sftp.ts'
import { nextNotBefore } from '../records/not-before.ts'
import type { Notify } from '../notify/notify.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** What may be changed of an account; absent stays. */
export interface AccountChange {
  email?: string | undefined
  /** Name of one that there is, else 400. */
  plan?: string | undefined
  /** Megabytes; null: the plan's. */
  diskQuotaMb?: number | null | undefined
  bandwidthQuotaMb?: number | null | undefined
  /** The reseller who changes it: within the plan, his plans and his limits. */
  byReseller?: number | undefined
  /** Of the system user and the panel; ends the account's sessions and API tokens. */
  password?: string | undefined
  /** Whether the account itself sets it. Default: an administrator does. */
  bySelf?: boolean
}

/** 404, 409 while it is being made or deleted, 503 when the host does not know of it yet. */
export type ChangeAccount = (id: number, change: AccountChange) => Promise<AccountView>

export const ACCOUNT_QUOTA = 'account.quota'
/** The plan of an account gives something else; hooks are told of no change of the account. */
export const ACCOUNT_LIMITS = 'account.limits'

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'passwords' | 'clock'> & {
  journal: Journal
  notify: Pick<Notify, 'tell'>
}

/**
 * Quotas after a change. One that was the plan's follows the plan to its new
 * value; one that was set for the account alone stays.
 */
const quotasAfter = (
  row: Pick<AccountRow, 'plan' | 'disk_quota_mb' | 'bandwidth_quota_mb'>,
  change: AccountChange,
  before: PlanRow,
  plan: PlanRow,
): Pick<AccountRow, 'plan' | 'disk_quota_mb' | 'bandwidth_quota_mb'> => {
  const after = (
    field: 'disk_quota_mb' | 'bandwidth_quota_mb',
    wanted: number | null | undefined,
  ): number => {
    if (typeof wanted === 'number') return wanted
    const follows = wanted === null || row[field] === before[field]
    return follows ? plan[field] : row[field]
  }
  return {
    plan: plan.name,
    disk_quota_mb: after('disk_quota_mb', change.diskQuotaMb),
    bandwidth_quota_mb: after('bandwidth_quota_mb', change.bandwidthQuotaMb),
  }
}

/**
 * Holds what a reseller changes within the plan: throws 403 for a quota above it that is asked
 * for, and takes one that stays from before down to it where the plan is a smaller one.
 */
const keepWithinPlan = (
  row: Pick<AccountRow, 'plan'>,
  change: AccountChange,
  quotas: ReturnType<typeof quotasAfter>,
  plan: PlanRow,
): void => {
  assertWithinPlan(change, plan)
  if (plan.name === row.plan) return
  quotas.disk_quota_mb = Math.min(quotas.disk_quota_mb, plan.disk_quota_mb)
  quotas.bandwidth_quota_mb = Math.min(quotas.bandwidth_quota_mb, plan.bandwidth_quota_mb)
}

/** The host is told what the record says: whoever settles this tells it what holds then. */
export const accountQuotaKinds = ({
  store,
  host,
  turn,
}: Pick<Deps, 'store' | 'host'> & { turn: SftpTurn }): OperationKind[] => {
  const steps = (operation: OperationRow): Step[] => [
    {
      name: 'host',
      async run() {
        const row = await store.accountByName(operation.subject)
        if (row === null) return
        await host.users.setDiskQuota({
          operationId: attemptId(operation),
          username: row.username,
          diskQuotaMb: row.disk_quota_mb,
        })
      },
    },
    {
      name: 'limits',
      async run() {
        const row = await store.accountByName(operation.subject)
        if (row === null) return
        const plan = await planOf(store, row)
        await host.users.setLimits({
          operationId: attemptId(operation),
          username: row.username,
          processes: plan.processes_limit,
          memoryMb: plan.memory_limit_mb,
          memoryTotalMb: plan.memory_total_mb,
          cpuWeight: plan.cpu_weight,
          cpuPercent: plan.cpu_percent,
          ioWeight: plan.io_weight,
        })
        await host.mailQueue.setAccount({
          username: row.username,
          perHour: plan.mails_per_hour_limit,
          mainDomain: row.primary_domain,
        })
      },
    },
    {
      name: 'shell',
      async run() {
        const row = await store.accountByName(operation.subject)
        if (row === null || row.home === null || !(await store.sftpShell(row.id))) return
        if (!(await host.of(row.host_id).sftp.details()).available) return
        // The plan may allow one now, or no more.
        await turn.inTurn(row.id, () => turn.tell(row))
      },
    },
  ]
  return [ACCOUNT_QUOTA, ACCOUNT_LIMITS].map((kind) => ({ kind, settle: 'finish', steps }))
}

export const createChangeAccount = (deps: Deps): ChangeAccount => {
  const { store, host, passwords, clock, journal, notify } = deps

  const setPassword = async (row: AccountRow, password: string, bySelf: boolean): Promise<void> => {
    const password_hash = await passwords.hash(password)
    const { id, username } = row
    await host.users.setPassword({ operationId: crypto.randomUUID(), username, password })
    const not_before_secs = nextNotBefore(row, unixSecs(clock.nowMs()))
    await store.updateAccount(id, { password_hash, not_before_secs }, { endTokens: true })
    const user = { role: 'account', id } as const
    await store.deletePasskeys(user)
    const message = bySelf ? 'security.password_changed' : 'security.password_set'
    await notify.tell(user, message, { at: timestamp(clock.nowMs()) })
  }

  const setQuota = async (
    row: AccountRow,
    change: Partial<AccountRow> & { plan: string },
    byReseller: number | undefined,
  ): Promise<void> => {
    const operation = journal.newOperation(ACCOUNT_QUOTA, row.username, { account_id: row.id })
    if (byReseller === undefined) {
      await store.openOperation(operation)
      await store.updateAccount(row.id, change)
    } else {
      // A plan that the account has already is not given anew.
      const { plan, ...rest } = change
      const wanted = plan === row.plan ? rest : change
      const done = await store.updatePromise(row, byReseller, wanted, operation)
      if (done !== 'done') throw resellerShort(done, plan)
    }
    try {
      await journal.finish(operation)
    } catch (error) {
      throw unavailable(
        `The quota of ${row.username} is changed, but the host does not know of it yet. It is being tried again; see the panel log.`,
        error,
      )
    }
  }

  return async (id, change) => {
    const { username } = await requireSettledAccount(store, id)
    return journal.exclusively(username, async () => {
      const row = await requireSettledAccount(store, id)
      // It may have been given to somebody else while this waited.
      if (change.byReseller !== undefined && row.reseller_id !== change.byReseller)
        throw notFound(ACCOUNT_NOT_FOUND)
      const before = await planOf(store, row)
      const plan = change.plan === undefined ? before : await requirePlan(store, change.plan)
      const quotas = quotasAfter(row, change, before, plan)
      if (change.byReseller !== undefined) keepWithinPlan(row, change, quotas, plan)
      // First, as the only one that the host may refuse.
      if (change.password !== undefined) {
        await setPassword(row, change.password, change.bySelf === true)
      }
      const changed = {
        ...quotas,
        ...(change.email === undefined ? {} : { email: change.email }),
        updated_at: timestamp(clock.nowMs()),
      }
      const promised =
        changed.disk_quota_mb !== row.disk_quota_mb ||
        (change.byReseller !== undefined && changed.bandwidth_quota_mb !== row.bandwidth_quota_mb)
      if (!promised && plan.name === row.plan) {
        await store.updateAccount(id, changed)
        await store.insertEvent({
          at: timestamp(clock.nowMs()),
          ending: `${ACCOUNT_QUOTA}:done`,
          subject: username,
          data: { account_id: id },
        })
      } else await setQuota(row, changed, change.byReseller)
      return accountView(await requireAccount(store, id), clock.nowMs())
    })
  }
}
