import { conflict, invalid, isAppError, notFound } from '#handlers/errors.ts'
import { timestamp, timestampMs } from '#handlers/domain/text/timestamp.ts'
import type {
  CertificateSubject,
  InstalledCertificate,
  WaitingOrder,
  WaitingOrdersPort,
} from '#handlers/ports/host/certificates.ts'
import type { AcmeAuthority } from '../acme-authorities.ts'
import type { CheckedPair } from '../check-pair.ts'
import { checkPair } from '../check-pair.ts'
import type { DnsService } from '../dns/dns-service.ts'
import type { OperationKey } from '../../registry/types.ts'
import type { KeptOrder, OrderFiles } from './order-files.ts'

/** What these orders share with those that are proved at once. */
export interface OrderWork {
  authorize(subject: CertificateSubject, names: readonly string[]): void
  email(): string
  trustedRoots(): Promise<string | null>
  firstThatAnswers<T>(ask: (authority: AcmeAuthority) => Promise<T>): Promise<T>
  /** The one of this directory; null: it is none of ours any more. */
  authorityOf(directory: string): Promise<AcmeAuthority | null>
  accountKey(directory: string): Promise<string>
  once<T>(key: OperationKey, work: () => Promise<T>): Promise<T>
  inTurn<T>(domain: string, work: () => Promise<T>): Promise<T>
  store(
    subject: CertificateSubject,
    version: string,
    pair: CheckedPair,
  ): Promise<InstalledCertificate>
}

const LIMIT_MS = 60_000
const FINISH_LIMIT_MS = 150_000
/** Where an authority does not say how long it keeps an order: what the largest gives. */
const USUAL_LIFE_MS = 7 * 86_400_000
/** What ended so long ago nobody looks at any more. */
const KEPT_MS = 30 * 86_400_000

/** Loaded with the first order, as the library is. */
const loadAcme = async () => {
  const [acme, { converse }] = await Promise.all([
    import('./acme-waiting.ts'),
    import('../acme-transport.ts'),
  ])
  return { ...acme, converse }
}

const shown = (order: KeptOrder, seen: readonly boolean[] | null): WaitingOrder => {
  const { username, domain, names, left_out, created_at, expires_at, failed } = order
  const records = order.records.map((record, at) => ({ ...record, shown: seen?.[at] ?? null }))
  return { username, domain, names, left_out, created_at, expires_at, failed, records }
}

/**
 * Orders whose records somebody sets by hand, and which wait for that: through restarts, until the
 * authority forgets them.
 */
export const createWaitingOrders = (deps: {
  files: OrderFiles
  dns: Pick<DnsService, 'refusal' | 'placeOf' | 'isShown'>
  work: OrderWork
}): WaitingOrdersPort & { forget(username: string): void } => {
  const { files, dns, work } = deps
  const isOver = ({ expires_at }: KeptOrder, byMs: number): boolean =>
    timestampMs(expires_at) + byMs <= Date.now()

  /** Of the owner, by our own records; null: there is none. */
  const own = (subject: CertificateSubject): KeptOrder | null => {
    work.authorize(subject, [])
    const order = files.of(subject.domain)
    return order?.username === subject.username ? order : null
  }
  const require = (subject: CertificateSubject): KeptOrder => {
    const order = own(subject)
    if (order === null) throw notFound(`No order for ${subject.domain} waits.`)
    return order
  }
  const look = (order: KeptOrder): Promise<boolean[]> =>
    Promise.all(order.records.map(({ name, value }) => dns.isShown(name, value)))

  return {
    beginOrder: ({ username, domain, names }) =>
      work.inTurn(domain, async () => {
        const subject = { username, domain }
        work.authorize(subject, names)
        const email = work.email()
        const before = own(subject)
        const isSame =
          before?.names
            .concat(before.left_out.map(({ name }) => name))
            .toSorted()
            .join() === names.toSorted().join()
        // Whoever sets records now must not see others each time that he asks.
        if (before !== null && isSame && before.failed === null && !isOver(before, 0))
          return shown(before, await look(before))
        const { beginOrder, converse } = await loadAcme()
        const ca = await work.trustedRoots()
        const made = await work.firstThatAnswers(async (authority) => {
          const { directory } = authority
          const accountKey = await work.accountKey(directory)
          const customer = { authority, accountKey, email }
          const begun = await converse(ca, LIMIT_MS, () =>
            beginOrder({ ...customer, domain, names, refusal: dns.refusal }),
          )
          return { ...begun, directory }
        })
        const places = await Promise.all(
          made.texts.map(async ({ name, value }) => {
            const place = await dns.placeOf(name)
            if ('reason' in place) throw invalid('domain', place.reason)
            return { name: place.record, value }
          }),
        )
        const order: KeptOrder = {
          ...{ username, domain, names: made.names, left_out: made.left_out },
          ...{ directory: made.directory, url: made.url, key: made.key },
          records: places.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
          created_at: timestamp(Date.now()),
          expires_at: timestamp(made.expiresMs ?? Date.now() + USUAL_LIFE_MS),
          failed: null,
        }
        // The order took its time; the account may be gone.
        work.authorize(subject, names)
        files.put(order)
        return shown(order, await look(order))
      }),

    async waitingOrders() {
      return files.all().flatMap((order) => {
        try {
          work.authorize(order, [])
        } catch (error) {
          if (!isAppError(error)) throw error
          // The site is gone, or somebody else's.
          files.remove(order.domain)
          return []
        }
        if (!isOver(order, KEPT_MS)) return [shown(order, null)]
        files.remove(order.domain)
        return []
      })
    },

    async lookAtOrder(subject) {
      const order = require(subject)
      return shown(order, await look(order))
    },

    finishOrder: ({ operationId, username, domain }) =>
      work.once({ id: operationId, kind: 'certificates.finish', subject: domain }, async () => {
        const subject = { username, domain }
        const order = require(subject)
        work.authorize(subject, order.names)
        if (order.failed !== null) throw conflict(`${order.failed} Begin a new order.`)
        if (isOver(order, 0)) throw conflict('The order has expired. Begin a new one.')
        const seen = await look(order)
        const missing = order.records.filter((_, at) => seen[at] !== true)
        if (missing.length > 0)
          throw conflict(
            `Not all servers of the zone show these records yet: ${missing.map(({ name, value }) => `${name} TXT "${value}"`).join(', ')}. Set them, or wait until they are shown.`,
          )
        const { finishOrder, LostOrderError, converse } = await loadAcme()
        const lose = (reason: string) => {
          files.put({ ...order, failed: reason })
          return invalid('domain', `${domain} could not be proved. ${reason}`)
        }
        const authority = await work.authorityOf(order.directory)
        if (authority === null)
          throw lose('The order is one of an authority that is not asked any more.')
        const accountKey = await work.accountKey(order.directory)
        const customer = { authority, accountKey, email: work.email() }
        try {
          const ca = await work.trustedRoots()
          const obtained = await converse(ca, FINISH_LIMIT_MS, () => finishOrder(order, customer))
          const pair = checkPair({ domain, ...obtained, nowMs: null })
          const { left_out } = order
          return { ...(await work.store(subject, operationId, pair)), left_out }
        } catch (error) {
          if (error instanceof LostOrderError) throw lose(error.message)
          throw error
        }
      }),

    dropOrder: (subject) =>
      work.inTurn(subject.domain, async () => {
        if (own(subject) !== null) files.remove(subject.domain)
      }),

    forget(username) {
      for (const order of files.all()) if (order.username === username) files.remove(order.domain)
    },
  }
}
