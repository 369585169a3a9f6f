import { isMailAddress } from '#handlers/domain/mail/mail-address.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { conflict, invalid, notFound } from '#handlers/errors.ts'
import type { MailNews, MailQueuePort, MailRecord } from '#handlers/ports/host/mail/mail-queue.ts'
import type { OutgoingMail, PanelMessage } from '#handlers/ports/host/mail/outgoing-mail.ts'

export interface FakeMail {
  outgoingMail: OutgoingMail
  mailQueue: MailQueuePort
  /** What the panel sent, in order. */
  submitted: PanelMessage[]
  /** All messages, newest last. */
  messages: MailRecord[]
  sources: Map<string, string>
  limits: Map<string, number>
  news: MailNews[]
  /** `host:port`; null: messages are kept. */
  relay: string | null
  trouble: { since: string; answer: string } | null
  /** Puts a message of an account into the queue. */
  put(record: Partial<MailRecord> & { username: string | null }, source?: string): MailRecord
}

/** A queue that sends nothing. */
export const createFakeMail = (): FakeMail => {
  let serial = 0
  const find = (id: string): MailRecord => {
    const found = fake.messages.find((one) => one.id === id)
    if (found === undefined) throw notFound('No such message.')
    return found
  }
  const waiting = (): 'kept' | 'queued' => (fake.relay === null ? 'kept' : 'queued')
  const fake: FakeMail = {
    submitted: [],
    messages: [],
    sources: new Map(),
    limits: new Map(),
    news: [],
    relay: null,
    trouble: null,
    put(record, source) {
      serial += 1
      const made: MailRecord = {
        id: `m${serial}`,
        state: waiting(),
        sender: 'someone@fake.example',
        from: 'someone@fake.example',
        replacedFrom: null,
        recipients: [{ address: 'reader@elsewhere.example', state: 'waiting', answer: null }],
        subject: `Message ${serial}`,
        sizeBytes: 1000 + serial,
        attempts: 0,
        createdAt: timestamp(Date.UTC(2026, 0, 1) + serial * 1000),
        nextAttemptAt: null,
        endedAt: null,
        answer: null,
        hasSource: source !== undefined,
        ...record,
      }
      fake.messages.push(made)
      if (source !== undefined) fake.sources.set(made.id, source)
      return made
    },
    outgoingMail: {
      async submit(message) {
        if (!isMailAddress(message.to)) throw invalid('to', 'to must be an e-mail address.')
        if (/\p{Cc}/u.test(message.subject)) throw invalid('subject', 'subject must be one line.')
        fake.submitted.push(message)
        const { id } = fake.put(
          {
            username: null,
            subject: message.subject,
            recipients: [{ address: message.to, state: 'waiting', answer: null }],
          },
          `Subject: ${message.subject}\r\n\r\n${message.text}`,
        )
        return { id, state: waiting() }
      },
    },
    mailQueue: {
      async status() {
        const count = (state: MailRecord['state']): number =>
          fake.messages.filter((one) => one.state === state).length
        const counts = {
          ...{ queued: count('queued'), kept: count('kept'), sent: count('sent') },
          ...{ failed: count('failed'), refused: count('refused') },
        }
        const [oldest] = fake.messages.filter(({ state }) => ['queued', 'kept'].includes(state))
        return {
          relay: fake.relay,
          from: 'berth@fake.example',
          trouble: fake.trouble,
          counts,
          oldestWaiting: oldest?.createdAt ?? null,
          storedBytes: 0,
          limits: {
            ...{ messageBytes: 26_214_400, recipients: 50, perHour: 10_000, retryHours: 72 },
            ...{ keepDays: 7, storedBytes: 2 ** 30, logDays: 30 },
          },
        }
      },
      async allowance({ username }) {
        const perHour = fake.limits.get(username) ?? 100
        return { lastHour: 0, lastDay: 0, perHour, perDay: perHour * 10 }
      },
      async setAccount({ username, perHour }) {
        fake.limits.set(username, perHour)
      },
      async list({ username, only, state, q = '', sort, order, offset, limit }) {
        const key = { created_at: 'createdAt', subject: 'subject', state: 'state' } as const
        const value = (one: MailRecord): string =>
          sort === 'size_bytes' ? String(one.sizeBytes).padStart(12, '0') : one[key[sort]]
        const rows = fake.messages
          .filter(
            (one) =>
              (username === undefined || one.username === username) &&
              (only === undefined || one.username === null) &&
              (state === undefined || one.state === state) &&
              `${one.subject} ${one.from} ${one.recipients.map(({ address }) => address).join(' ')}`.includes(
                q,
              ),
          )
          .sort((a, b) => (value(a) < value(b) ? -1 : 1) * (order === 'asc' ? 1 : -1))
        return { rows: rows.slice(offset, offset + limit), total: rows.length }
      },
      message: async ({ id }) => find(id),
      async source({ id }) {
        find(id)
        const text = fake.sources.get(id)
        if (text === undefined) throw notFound('The text of this message is not kept any more.')
        return { text, truncated: false }
      },
      async retry({ id }) {
        const one = find(id)
        if (!one.hasSource || one.state === 'sent')
          throw conflict('This message cannot be sent again.')
        return Object.assign(one, { state: waiting(), endedAt: null })
      },
      async remove({ id }) {
        fake.messages.splice(fake.messages.indexOf(find(id)), 1)
        fake.sources.delete(id)
      },
      async takeNews({ acknowledged }) {
        fake.news = fake.news.filter(({ seq }) => seq > acknowledged)
        return fake.news
      },
    },
  }
  return fake
}
