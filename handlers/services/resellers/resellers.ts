import { resellerShort } from '../../domain/accounts/reseller-limits.ts'
import { timestamp, unixSecs } from '../../domain/text/timestamp.ts'
import { conflict, invalid, notFound, unavailable } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { ResellerLimits, ResellerRow } from '../../ports/store/records.ts'
import type { KnownReseller } from '../../ports/store/access/reseller-store.ts'
import type { ListQuery, Page } from '../../ports/store/store.ts'
import type { Journal } from '../journal/journal.ts'
import { requireSettledAccount } from '../records/lookup.ts'
import { nextNotBefore } from '../records/not-before.ts'
import type { ServiceDeps } from '../service-deps.ts'
import {
  ACCOUNT_MOVE,
  RESELLER_CREATE,
  RESELLER_DELETE,
  RESELLER_SUSPEND,
  RESELLER_UNSUSPEND,
} from './operations.ts'
import { currentMonth, resellerView, type ResellerView } from './view.ts'

const RESELLER_NOT_FOUND = 'Reseller not found. List the resellers to see which ids exist.'

interface ResellerChange {
  username?: string | undefined
  password?: string | undefined
  plans?: readonly string[] | undefined
  limits: Partial<ResellerLimits>
  /** Takes the second factor off. */
  secondFactor?: false | undefined
}

/** Resellers: users of the panel who have accounts of their own, within limits. */
export interface Resellers {
  /** By id unless the query says otherwise. */
  list(query: ListQuery): Promise<Page<ResellerView>>
  /** Throws 404. */
  get(id: number): Promise<ResellerView>
  /** 400 for a plan that is not there, 409 when the name is taken. */
  create(input: {
    username: string
    password: string
    plans: readonly string[]
    limits: ResellerLimits
  }): Promise<ResellerView>
  /** As `create`, and 404. Limits hold from now on: what is above them stays. */
  update(id: number, change: ResellerChange): Promise<ResellerView>
  /** Ends his sessions and API tokens. 404, 409 when he is not active. */
  suspend(
    id: number,
    options: { reason: string | null; withAccounts: boolean },
    report?: Report,
  ): Promise<ResellerView>
  /** Opens also the accounts that were suspended with him, and no others. 404, 409 when he is not suspended. */
  unsuspend(id: number, report?: Report): Promise<ResellerView>
  /** `accountsTo`: whom his accounts go to (null: the administrators). 404, 409 while he has any. */
  remove(id: number, accountsTo?: number | null): Promise<void>
  /** Gives an account to a reseller (null: the administrators) within his limits. 403, 404, 409. */
  move(accountId: number, to: number | null): Promise<void>
}

type Deps = Pick<ServiceDeps, 'store' | 'passwords' | 'clock' | 'log'> & { journal: Journal }

const taken = (username: string) => conflict(`username ${username} is taken.`, 'username')
const noPlan = () =>
  invalid('plans', 'plans must be names of plans. List the plans to see which there are.')

export const createResellers = (deps: Deps): Resellers => {
  const { store, passwords, clock, log, journal } = deps

  const require = async (id: number): Promise<ResellerRow> => {
    const row = await store.resellerById(id)
    if (row === null) throw notFound(RESELLER_NOT_FOUND)
    return row
  }
  const views = async (rows: readonly KnownReseller[]): Promise<ResellerView[]> => {
    const ids = rows.map(({ id }) => id)
    const withFactor = await store.withSecondFactor('reseller', ids)
    return rows.map((row) => resellerView(row, withFactor.has(row.id)))
  }
  const get = async (id: number): Promise<ResellerView> => {
    const row = await store.knownReseller(id, currentMonth(deps))
    const [view] = row === null ? [] : await views([row])
    if (view === undefined) throw notFound(RESELLER_NOT_FOUND)
    return view
  }
  const now = (): string => timestamp(clock.nowMs())
  const tell = (ending: string, { id, username }: Pick<ResellerRow, 'id' | 'username'>) =>
    store.insertEvent({
      at: now(),
      ending: `${ending}:done`,
      subject: username,
      data: { reseller_id: id, name: username },
    })
  /** What a reseller has to be who is given accounts. */
  const requireTarget = async (to: number | null): Promise<void> => {
    if (to !== null && (await store.resellerById(to)) === null)
      throw invalid('reseller_id', 'reseller_id is that of no reseller.')
  }

  const transit = async (
    id: number,
    from: ResellerRow['status'],
    kind: string,
    change: Partial<ResellerRow>,
    data: Record<string, unknown>,
    report?: Report,
  ): Promise<ResellerView> => {
    const { username } = await require(id)
    return journal.exclusively(`reseller:${username}`, async () => {
      const row = await require(id)
      const told = { reseller_id: id, name: username, ...data }
      const operation = journal.newOperation(kind, `reseller:${username}`, told, report)
      const done = await store.transitReseller(id, from, operation, {
        ...change,
        not_before_secs: nextNotBefore(row, unixSecs(clock.nowMs())),
        updated_at: now(),
      })
      if (!done) throw conflict(`Reseller ${username} is ${row.status}, not ${from}.`)
      try {
        await journal.finish(operation, report)
      } catch (error) {
        throw unavailable(
          `Reseller ${username} is ${change.status ?? from}, but not all of his accounts are yet. It is being tried again; see the panel log.`,
          error,
        )
      }
      return get(id)
    })
  }

  return {
    get,
    async list(query) {
      const { rows, total } = await store.listResellers(currentMonth(deps), query)
      return { rows: await views(rows), total }
    },
    async create({ username, password, plans, limits }) {
      const row = await store.insertReseller(
        {
          username,
          password_hash: await passwords.hash(password),
          status: 'active',
          suspend_reason: null,
          ...limits,
          not_before_secs: 0,
          created_at: now(),
          updated_at: now(),
        },
        plans,
      )
      if (row === 'duplicate') throw taken(username)
      if (row === 'no-plan') throw noPlan()
      await tell(RESELLER_CREATE, row)
      log.info('reseller created', { username })
      return get(row.id)
    },
    async update(id, { username, password, plans, limits, secondFactor }) {
      const row = await require(id)
      const done = await store.updateReseller(
        id,
        {
          ...limits,
          ...(username === undefined ? {} : { username }),
          ...(password === undefined
            ? {}
            : {
                password_hash: await passwords.hash(password),
                not_before_secs: nextNotBefore(row, unixSecs(clock.nowMs())),
              }),
          updated_at: now(),
        },
        { ...(plans === undefined ? {} : { plans }), endTokens: password !== undefined },
      )
      if (done === 'duplicate') throw taken(username ?? '')
      if (done === 'no-plan') throw noPlan()
      if (password !== undefined) await store.deletePasskeys({ role: 'reseller', id })
      if (secondFactor === false) await store.deleteSecondFactor({ role: 'reseller', id })
      return get(id)
    },
    suspend: (id, { reason, withAccounts }, report) =>
      transit(
        id,
        'active',
        RESELLER_SUSPEND,
        { status: 'suspended', suspend_reason: reason },
        { with_accounts: withAccounts, reason },
        report,
      ),
    unsuspend: (id, report) =>
      transit(
        id,
        'suspended',
        RESELLER_UNSUSPEND,
        { status: 'active', suspend_reason: null },
        {},
        report,
      ),
    async remove(id, accountsTo) {
      const { username } = await require(id)
      await journal.exclusively(`reseller:${username}`, async () => {
        const ids = await store.accountIdsOf(id)
        if (ids.length > 0 && accountsTo !== undefined) {
          if (accountsTo === id)
            throw invalid('accounts_to', 'accounts_to must be another reseller, or none.')
          await requireTarget(accountsTo)
          const data = { reseller_id: accountsTo, name: username }
          const operation = journal.newOperation(ACCOUNT_MOVE, `reseller:${username}`, data)
          const moved = await store.moveAccounts(ids, accountsTo, operation, now())
          if (moved !== 'done') throw resellerShort(moved, 'of an account')
          await journal.finish(operation)
        }
        if ((await store.deleteReseller(id)) === 'used')
          throw conflict(
            `Reseller ${username} has accounts. Say to whom they go, or delete them first.`,
            'accounts_to',
          )
        await tell(RESELLER_DELETE, { id, username })
        log.info('reseller deleted', { username })
      })
    },
    async move(accountId, to) {
      const { username } = await requireSettledAccount(store, accountId)
      await requireTarget(to)
      await journal.exclusively(username, async () => {
        const account = await requireSettledAccount(store, accountId)
        if (account.reseller_id === to) return
        const data = { account_id: accountId, ...(to === null ? {} : { reseller_id: to }) }
        const operation = journal.newOperation(ACCOUNT_MOVE, username, data)
        const moved = await store.moveAccounts([accountId], to, operation, now())
        if (moved !== 'done') throw resellerShort(moved, account.plan)
        await journal.finish(operation)
      })
    },
  }
}
