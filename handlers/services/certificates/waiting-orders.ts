import { eachHost } from '../on-hosts/each-host.ts'
import { conflict, isAppError } from '../../errors.ts'
import { timestampMs } from '../../domain/text/timestamp.ts'
import type {
  CertificateSubject,
  SkippedName,
  WaitingOrder,
} from '../../ports/host/certificates.ts'
import type { ListQuery, Page } from '../../ports/store/list-query.ts'
import type { Journal } from '../journal/journal.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import { pageOf } from '../records/page-of.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'
import { bringCertificate } from './bringing.ts'
import { findCertifiedSite, type CertifiedSite } from './certified-site.ts'
import type { RenewalReport } from './certificates.ts'
import type { Following } from './following.ts'
import { beginStep } from './following.ts'
import { certificateSubject } from './operations.ts'
import type { CertificateView } from './view.ts'
import { certificateView } from './view.ts'

/** Whether somebody has to do something about an order, and what. */
export type OrderState = 'waiting' | 'ready' | 'failed' | 'expired'

/** An order as the API returns it. */
export interface WaitingOrderView extends Pick<
  WaitingOrder,
  'domain' | 'names' | 'left_out' | 'created_at' | 'expires_at'
> {
  /** Null: the panel's own name. */
  account_id: number | null
  state: OrderState
  records: { type: 'TXT'; name: string; value: string; shown: boolean | null }[]
  error: string | null
}

type IssuedView = CertificateView & { left_out: SkippedName[] }

/**
 * Certificates whose names their owner proves by records that he sets by hand. Such an order waits until the
 * servers of the zone show them; 404 for a name that nobody here has, or for which none waits.
 */
export interface WaitingOrders {
  /** One that waits already is answered as it is. 400 when the authority refuses it, 409 for an account that is not active. */
  begin(domain: string): Promise<WaitingOrderView>
  list(query: ListQuery): Promise<Page<WaitingOrderView>>
  /** Looks which records are shown. */
  get(domain: string): Promise<WaitingOrderView>
  /** Steps `check`, `order`, `activate`. 409 while records are missing. */
  finish(domain: string, following?: Following): Promise<IssuedView>
  drop(domain: string): Promise<void>
  /** Goes on with those whose records are shown by now; asked often, it looks at older ones more rarely. */
  goOn(): Promise<Pick<RenewalReport, 'renewed' | 'errors'>>
}

const MINUTE_MS = 60_000
/** Between two looks: a twentieth of what it has waited, at most this. */
const MOST_PAUSE_MS = 15 * MINUTE_MS

const LISTED = {
  searched: ({ domain, names }: WaitingOrderView) => [domain, ...names],
  sortable: {
    domain: ({ domain }: WaitingOrderView) => domain,
    created_at: ({ created_at }: WaitingOrderView) => created_at,
    expires_at: ({ expires_at }: WaitingOrderView) => expires_at,
  },
}

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'> & {
  journal: Journal
  vhosts: VirtualHosts
}

export const createWaitingOrders = (deps: Deps): WaitingOrders => {
  const { store, host, clock, log, journal } = deps
  const waitingOrders = async (): Promise<WaitingOrder[]> => {
    const all: WaitingOrder[] = []
    await eachHost(deps, 'a host was not asked for its orders', async (_, { certificates }) => {
      all.push(...(await certificates.waitingOrders()))
    })
    return all
  }
  /** When each was looked at. */
  const looks = new Map<string, number>()

  const subjectOf = ({ domain, account }: CertifiedSite): CertificateSubject => ({
    username: account?.username ?? null,
    domain,
  })
  const stateOf = ({ failed, expires_at, records }: WaitingOrder): OrderState => {
    if (failed !== null) return 'failed'
    if (timestampMs(expires_at) <= clock.nowMs()) return 'expired'
    return records.every(({ shown }) => shown === true) ? 'ready' : 'waiting'
  }
  const view = (order: WaitingOrder, accountId: number | null): WaitingOrderView => {
    const { domain, names, left_out, created_at, expires_at, failed, records } = order
    return {
      ...{ domain, account_id: accountId, names, left_out, created_at, expires_at },
      ...{ state: stateOf(order), error: failed },
      records: records.map((record) => ({ type: 'TXT', ...record })),
    }
  }
  const inTurn = <T>(domain: string, work: () => Promise<T>): Promise<T> =>
    journal.exclusively(certificateSubject(domain), work)

  const finish = async (input: string, following: Following): Promise<IssuedView> => {
    const { domain } = await findCertifiedSite(deps, input)
    return inTurn(domain, async () => {
      const site = await findCertifiedSite(deps, domain)
      if (site.account !== null) await requireActiveAccount(store, site.account.id)
      const subject = subjectOf(site)
      beginStep(following, 'check', domain, 5)
      const order = await host.certificates.lookAtOrder(subject)
      const state = stateOf(order)
      const missing = order.records.filter(({ shown }) => shown !== true)
      // Said before anything is begun: waiting is no failure of the site's certificate.
      if (state === 'failed') throw conflict(`${order.failed ?? ''} Begin a new order.`)
      if (state === 'expired') throw conflict('The order has expired. Begin a new one.')
      if (state === 'waiting')
        throw conflict(
          `Not all servers of the zone show these records yet: ${missing.map(({ name, value }) => `${name} TXT "${value}"`).join(', ')}. Set them, or wait until they are shown.`,
        )
      beginStep(following, 'order', order.names.join(', '), 20)
      const { row, made } = await bringCertificate(
        deps,
        site,
        { source: 'acme', webroot: null, forced: false, challenge: 'by-hand' },
        undefined,
        (operationId) => host.certificates.finishOrder({ ...subject, operationId }),
        following,
      )
      await host.certificates.dropOrder(subject)
      return { ...certificateView(row, clock.nowMs()), left_out: made.left_out }
    })
  }

  const isDue = (order: WaitingOrder, nowMs: number): boolean => {
    const waitedMs = nowMs - timestampMs(order.created_at)
    const pauseMs = Math.min(waitedMs / 20, MOST_PAUSE_MS)
    return nowMs - (looks.get(order.domain) ?? 0) >= pauseMs
  }

  return {
    async begin(input) {
      const { domain } = await findCertifiedSite(deps, input)
      return inTurn(domain, async () => {
        const site = await findCertifiedSite(deps, domain)
        if (site.account !== null) await requireActiveAccount(store, site.account.id)
        const order = await host.certificates.beginOrder({
          ...subjectOf(site),
          names: site.names,
        })
        return view(order, site.account?.id ?? null)
      })
    },
    async list(query) {
      const { rows: accounts } = await store.listAccounts()
      const byName = new Map(accounts.map((account) => [account.username, account]))
      const rows = (await waitingOrders()).flatMap((order) => {
        const account = order.username === null ? null : byName.get(order.username)
        if (account === undefined) return []
        const { accountId, resellerId } = query
        if (accountId !== undefined && account?.id !== accountId) return []
        if (resellerId !== undefined && account?.reseller_id !== resellerId) return []
        return [view(order, account?.id ?? null)]
      })
      return pageOf(rows, query, LISTED)
    },
    async get(input) {
      const site = await findCertifiedSite(deps, input)
      const order = await host.certificates.lookAtOrder(subjectOf(site))
      return view(order, site.account?.id ?? null)
    },
    finish: (domain, following = {}) => finish(domain, following),
    async drop(input) {
      const site = await findCertifiedSite(deps, input)
      await host.certificates.lookAtOrder(subjectOf(site))
      await host.certificates.dropOrder(subjectOf(site))
    },
    async goOn() {
      const done: Pick<RenewalReport, 'renewed' | 'errors'> = { renewed: [], errors: [] }
      const all = await waitingOrders()
      for (const domain of looks.keys())
        if (!all.some((order) => order.domain === domain)) looks.delete(domain)
      for (const order of all) {
        const { domain, username } = order
        if (stateOf(order) !== 'waiting' || !isDue(order, clock.nowMs())) continue
        looks.set(domain, clock.nowMs())
        try {
          const now = await host.certificates.lookAtOrder({ username, domain })
          if (stateOf(now) !== 'ready') continue
          await finish(domain, {})
          done.renewed.push(domain)
        } catch (error) {
          const text = isAppError(error) ? error.message : 'An unexpected error; see the panel log.'
          log.error('an order that waited did not go on', { domain, error: String(error) })
          done.errors.push({ domain, error: text })
        }
      }
      return done
    },
  }
}
