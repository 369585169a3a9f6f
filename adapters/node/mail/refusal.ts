import type { QueueContext } from './queue-context.ts'

/** Why a message is not taken. */
export type RefusalKind = 'usage' | 'data' | 'recipient' | 'limit' | 'account limit' | 'unavailable'

/** Exit codes of sysexits(3). Never 75: PHP takes that for sent. */
const EXIT_CODES: Record<RefusalKind, number> = {
  usage: 64,
  data: 65,
  recipient: 67,
  unavailable: 69,
  limit: 77,
  'account limit': 77,
}

/** A message that is not taken, with a text for whoever sent it. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly exitCode: number

  constructor(kind: RefusalKind, message: string) {
    super(message)
    this.name = 'Refusal'
    this.kind = kind
    this.exitCode = EXIT_CODES[kind]
  }
}

export const refuse = (kind: RefusalKind, message: string): Refusal => new Refusal(kind, message)

const HOUR_MS = 3_600_000
/** Refusals of one account that stand in the list in an hour: a flood must not push the rest out. */
const LISTED_AN_HOUR = 60
const listed = new Map<string, { sinceMs: number; count: number }>()

const mayBeListed = (account: string, nowMs: number): boolean => {
  const known = listed.get(account)
  if (known === undefined || known.sinceMs < nowMs - HOUR_MS) {
    listed.set(account, { sinceMs: nowMs, count: 1 })
    return true
  }
  known.count += 1
  return known.count <= LISTED_AN_HOUR
}

/** Puts a refusal into the list, and tells that an account reached its limit. */
export const noteRefusal = (
  { records, news, nowMs }: QueueContext,
  message: { id: string; account: string; subject: string; from: string; to: readonly string[] },
  refusal: Refusal,
): void => {
  const { id, account, subject, from, to } = message
  if (refusal.kind === 'account limit')
    news.tell({ kind: 'limited', account, message: null, told: refusal.message })
  if (!mayBeListed(account, nowMs())) return
  records.put({
    id,
    account,
    state: 'refused',
    sender: from,
    from,
    replacedFrom: null,
    recipients: to
      .slice(0, 50)
      .map((address) => ({ address: address.slice(0, 254), state: 'failed', answer: null })),
    subject,
    sizeBytes: 0,
    attempts: 0,
    createdMs: nowMs(),
    nextMs: null,
    endedMs: nowMs(),
    answer: refusal.message,
    hasSource: false,
  })
}
