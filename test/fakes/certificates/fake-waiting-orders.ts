import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { conflict, invalid, notFound, unavailable } from '#handlers/errors.ts'
import type {
  CertificateSubject,
  InstalledCertificate,
  SkippedName,
  WaitingOrder,
  WaitingOrdersPort,
} from '#handlers/ports/host/certificates.ts'

export interface FakeWaitingOrders extends WaitingOrdersPort {
  /** Orders that wait, by domain. */
  waiting: Map<string, WaitingOrder>
  /** Texts that the DNS shows, by record. */
  texts: Map<string, string[]>
}

const WEEK_MS = 7 * 86_400_000

/**
 * Orders in memory. `refused.` is refused by the authority, `down.` finds it not answering,
 * `liar.` shows its records to us and not to the authority, and `prompt.` shows them as soon as they are looked for.
 */
export const createFakeWaitingOrders = (deps: {
  authorize(subject: CertificateSubject, names: readonly string[]): void
  nowMs(): number
  finish(
    operationId: string,
    order: WaitingOrder,
    isProved: () => void,
  ): InstalledCertificate & { left_out: SkippedName[] }
}): FakeWaitingOrders => {
  const waiting: FakeWaitingOrders['waiting'] = new Map()
  const texts: FakeWaitingOrders['texts'] = new Map()
  let serial = 0
  const require = (subject: CertificateSubject): WaitingOrder => {
    deps.authorize(subject, [])
    const order = waiting.get(subject.domain)
    if (order?.username !== subject.username) throw notFound('No such order waits.')
    return order
  }
  const seen = (order: WaitingOrder): WaitingOrder => ({
    ...order,
    records: order.records.map((one) => ({
      ...one,
      shown:
        order.domain.startsWith('prompt.') || texts.get(one.name)?.includes(one.value) === true,
    })),
  })
  return {
    ...{ waiting, texts },
    async beginOrder({ username, domain, names }) {
      deps.authorize({ username, domain }, names)
      if (domain.startsWith('down.')) throw unavailable('The authority cannot be reached.')
      if (domain.startsWith('refused.')) throw invalid('domain', 'The authority refused it.')
      const before = waiting.get(domain)
      const isSame = before?.names.join() === names.join() && before.failed === null
      if (isSame && before.username === username) return seen(before)
      const order: WaitingOrder = {
        ...{ username, domain, names, left_out: [], failed: null },
        records: names.map((name) => ({
          name: `_acme-challenge.${wildcardBase(name) ?? name}`,
          value: `text-${(serial += 1)}`,
          shown: null,
        })),
        created_at: timestamp(deps.nowMs()),
        expires_at: timestamp(deps.nowMs() + WEEK_MS),
      }
      waiting.set(domain, order)
      return { ...order, records: order.records.map((one) => ({ ...one, shown: false })) }
    },
    waitingOrders: async () => [...waiting.values()],
    lookAtOrder: async (subject) => seen(require(subject)),
    async finishOrder({ operationId, ...subject }) {
      const order = seen(require(subject))
      return deps.finish(operationId, order, () => {
        if (order.failed !== null) throw conflict(order.failed)
        if (!order.records.every(({ shown }) => shown)) throw conflict('Records are missing.')
        if (!order.domain.startsWith('liar.')) return
        waiting.set(order.domain, { ...order, failed: 'The authority says: no such record.' })
        throw invalid('domain', 'The authority says: no such record.')
      })
    },
    async dropOrder(subject) {
      deps.authorize(subject, [])
      if (waiting.get(subject.domain)?.username === subject.username) waiting.delete(subject.domain)
    },
  }
}
