import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import { conflict, isAppError, notFound, unavailable } from '../../errors.ts'
import { parseUsername } from '../../domain/accounts/username.ts'
import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import type { Report } from '../../ports/jobs.ts'
import type { AccountRow, AccountStatus, OperationRow } from '../../ports/store/records.ts'
import type { AccountTotals, ListQuery, Page } from '../../ports/store/store.ts'
import type { ChangeAccount } from './changes.ts'
import { createChangeAccount } from './changes.ts'
import { accountCreation } from './creation.ts'
import type { NewAccount } from './creation.ts'
import { ACCOUNT_CREATE, ACCOUNT_DELETE, ACCOUNT_SUSPEND, ACCOUNT_UNSUSPEND } from './operations.ts'
import type { AccountView } from './view.ts'
import { accountView } from './view.ts'
import { createDiskUsage } from './disk-usage.ts'
import type { Journal, StuckVerdict } from '../journal/journal.ts'
import { ACCOUNT_NOT_FOUND, requireAccount, requirePlan } from '../records/lookup.ts'
import { nextNotBefore } from '../records/not-before.ts'
import type { Notify } from '../notify/notify.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** Of whoever asks for a change that may have to wait for others. */
interface Asked {
  /** Throws where he has lost the right meanwhile, as when the account was given to another reseller. */
  stillAllowed?: (() => Promise<unknown>) | undefined
}

/** Hosting accounts. Whatever takes an id rejects with 404 for one that is not there. */
export interface Accounts {
  /** 400 bad field, 403 limit, 409 duplicate. Whatever fails leaves nothing behind. */
  create(input: NewAccount, report?: Report): Promise<AccountView>
  /** By id unless the query says otherwise. Disk usage may be some minutes old. */
  list(query: ListQuery): Promise<Page<AccountView>>
  /** Its name where there is one, for what outlives accounts. */
  nameOf(id: number): Promise<{ id: number; username: string | null; resellerId: number | null }>
  /** What the accounts have together; ids that are not there count nothing. */
  totals(ids: readonly number[]): Promise<AccountTotals>
  /** Has disk usage measured anew behind the response. */
  get(id: number): Promise<AccountView>
  /** In any spelling that `create` takes. 404. */
  byName(username: string): Promise<AccountView>
  change: ChangeAccount
  /**
   * Removes the account and everything it owns. Answers the name of the host that does not
   * answer, on which it is finished when that is back; null: all is gone. A repeated call goes on where an interrupted one stopped.
   */
  remove(id: number, asked?: Asked & { report?: Report }): Promise<string | null>
  /** 409 when it is not active. `withReseller`: it shall be opened again with its reseller. */
  suspend(
    id: number,
    reason: string | null,
    asked?: Asked & { withReseller?: boolean },
  ): Promise<AccountView>
  /** 409 when it is not suspended. */
  unsuspend(id: number, asked?: Asked): Promise<AccountView>
}

type Deps = ServiceDeps & { journal: Journal; vhosts: VirtualHosts; notify: Notify }

/** Deletion takes everything with it, so whatever else is stuck is over; half a creation is not an account yet. */
const underDeletion = ({ kind }: OperationRow): StuckVerdict =>
  kind === ACCOUNT_CREATE || kind === ACCOUNT_DELETE ? 'refuse' : 'close'

/** A tenant who can make some step fail must not be able to keep the account from being closed. */
const underSuspension = ({ kind }: OperationRow): StuckVerdict => {
  if (kind === ACCOUNT_CREATE || kind === ACCOUNT_DELETE) return 'refuse'
  return kind === ACCOUNT_UNSUSPEND ? 'close' : 'leave'
}

export const createAccounts = (deps: Deps): Accounts => {
  const { store, clock, journal } = deps
  const diskUsage = createDiskUsage(deps)

  /** Changes the status together with opening its operation, then carries that out. */
  const transit = async (
    account: AccountRow,
    from: AccountStatus[],
    to: AccountStatus,
    kind: string,
    change: Partial<AccountRow>,
    report?: Report,
  ): Promise<string | null> => {
    const data = { account_id: account.id }
    const operation = journal.newOperation(kind, account.username, data, report)
    const nowMs = clock.nowMs()
    const changed = await store.transitAccount(account.id, from, to, operation, {
      ...change,
      // Tokens issued up to now are void, whatever comes later.
      not_before_secs: nextNotBefore(account, unixSecs(nowMs)),
      updated_at: timestamp(nowMs),
    })
    if (!changed)
      throw conflict(`Account ${account.username} is ${account.status}, not ${from.join(' or ')}.`)
    try {
      await journal.finish(operation, report)
      return null
    } catch (error) {
      // Written down it is, and another machine does its part when it is there again.
      if (account.host_id !== LOCAL_HOST && isAppError(error) && error.status === 503)
        return (await store.hostById(account.host_id))?.name ?? String(account.host_id)
      throw unavailable(
        `Account ${account.username} is ${to}, but not every step is done yet. It is being tried again; see the panel log.`,
        error,
      )
    }
  }

  /** Runs `work` on the account as it is once nothing else changes it. */
  const change = async <T>(
    id: number,
    work: (account: AccountRow) => Promise<T>,
    { stillAllowed }: Asked,
    whenStuck?: (operation: OperationRow) => StuckVerdict,
    urgent = false,
  ): Promise<T> => {
    const { username } = await requireAccount(store, id)
    const current = async () => {
      await stillAllowed?.()
      return work(await requireAccount(store, id))
    }
    return journal.exclusively(username, current, whenStuck, urgent)
  }

  /** Ends sessions and API tokens of the account and of its persons at once: closing may have to wait for a change that runs. */
  const voidTokens = (account: AccountRow): Promise<void> =>
    store.updateAccount(
      account.id,
      { not_before_secs: nextNotBefore(account, unixSecs(clock.nowMs())) },
      { endTokens: true, endPeople: true },
    )

  return {
    create: (input, report) => accountCreation(deps, input, report),
    async list(query) {
      const { plan } = query.filters ?? {}
      if (plan !== undefined) await requirePlan(store, plan)
      const { rows, total } = await store.listAccounts(query)
      diskUsage.refresh(rows)
      return { rows: rows.map((row) => accountView(row, clock.nowMs())), total }
    },
    async nameOf(id) {
      const row = await store.accountById(id)
      return { id, username: row?.username ?? null, resellerId: row?.reseller_id ?? null }
    },
    totals: (ids) => store.accountTotals(ids),
    async get(id) {
      const account = await requireAccount(store, id)
      diskUsage.refresh([account])
      return accountView(account, clock.nowMs())
    },
    async byName(username) {
      const account = await store.accountByName(parseUsername(username))
      if (account === null) throw notFound(ACCOUNT_NOT_FOUND)
      return accountView(account, clock.nowMs())
    },
    change: createChangeAccount(deps),
    async remove(id, { report, stillAllowed } = {}) {
      const found = await requireAccount(store, id)
      const { username, status } = found
      if (status === 'active') await voidTokens(found)
      return journal.exclusively(
        username,
        async () => {
          const account = await store.accountById(id)
          // An interrupted deletion was finished on the way in here.
          if (account === null && status === 'deleting') return null
          if (account === null) throw notFound(ACCOUNT_NOT_FOUND)
          await stillAllowed?.()
          return transit(account, ['active', 'suspended'], 'deleting', ACCOUNT_DELETE, {}, report)
        },
        underDeletion,
        true,
      )
    },
    async suspend(id, reason, { withReseller = false, ...asked } = {}) {
      const found = await requireAccount(store, id)
      if (found.status === 'active') await voidTokens(found)
      return change(
        id,
        async (account) => {
          const reasons = {
            suspend_reason: reason,
            suspended_with_reseller: withReseller ? 1 : 0,
          }
          await transit(account, ['active'], 'suspended', ACCOUNT_SUSPEND, reasons)
          return accountView(await requireAccount(store, id), clock.nowMs())
        },
        asked,
        underSuspension,
        true,
      )
    },
    unsuspend: (id, asked = {}) =>
      change(
        id,
        async (account) => {
          const reasons = { suspend_reason: null, suspended_with_reseller: 0 }
          await transit(account, ['suspended'], 'active', ACCOUNT_UNSUSPEND, reasons)
          return accountView(await requireAccount(store, id), clock.nowMs())
        },
        asked,
      ),
  }
}
