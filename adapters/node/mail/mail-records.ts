import type Database from 'better-sqlite3'
import { z } from 'zod'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type {
  MailRecipient,
  MailRecord,
  MailSearch,
  MailState,
} from '#handlers/ports/host/mail/mail-queue.ts'

/** A message as the queue knows it. Times are milliseconds since 1970. */
export interface StoredMail {
  id: string
  /** '' is the panel. */
  account: string
  state: MailState
  sender: string
  from: string
  replacedFrom: string | null
  recipients: MailRecipient[]
  subject: string
  sizeBytes: number
  attempts: number
  createdMs: number
  nextMs: number | null
  endedMs: number | null
  answer: string | null
  hasSource: boolean
}

interface Row {
  id: string
  account: string
  state: MailState
  sender: string
  from_address: string
  replaced_from: string | null
  recipients: string
  subject: string
  size: number
  attempts: number
  created_at: number
  next_at: number | null
  ended_at: number | null
  answer: string | null
  has_source: number
}

const recipientsSchema = z.array(
  z.object({
    address: z.string(),
    state: z.enum(['waiting', 'sent', 'failed']),
    answer: z.string().nullable(),
  }),
)

const fromRow = (row: Row): StoredMail => ({
  id: row.id,
  account: row.account,
  state: row.state,
  sender: row.sender,
  from: row.from_address,
  replacedFrom: row.replaced_from,
  recipients: recipientsSchema.parse(JSON.parse(row.recipients)),
  subject: row.subject,
  sizeBytes: row.size,
  attempts: row.attempts,
  createdMs: row.created_at,
  nextMs: row.next_at,
  endedMs: row.ended_at,
  answer: row.answer,
  hasSource: row.has_source === 1,
})

const time = (ms: number | null): string | null => (ms === null ? null : timestamp(ms))

/** As the port shows it. */
export const mailRecord = (mail: StoredMail): MailRecord => ({
  id: mail.id,
  username: mail.account === '' ? null : mail.account,
  state: mail.state,
  sender: mail.sender,
  from: mail.from,
  replacedFrom: mail.replacedFrom,
  recipients: mail.recipients,
  subject: mail.subject,
  sizeBytes: mail.sizeBytes,
  attempts: mail.attempts,
  createdAt: timestamp(mail.createdMs),
  nextAttemptAt: time(mail.nextMs),
  endedAt: time(mail.endedMs),
  answer: mail.answer,
  hasSource: mail.hasSource,
})

const SORTS: Record<MailSearch['sort'], string> = {
  created_at: 'created_at',
  subject: 'subject collate nocase',
  state: 'state',
  size_bytes: 'size',
}

/** The rows of messages. */
export interface MailRecords {
  find(id: string): StoredMail | null
  /** Puts it in, or in the place of the one with this id. */
  put(mail: StoredMail): void
  remove(id: string): void
  search(search: MailSearch): { rows: StoredMail[]; total: number }
  counts(): Record<MailState, number>
  /** Waiting messages of an account, and the bytes of all of its that are here. */
  held(account: string): { waiting: number; bytes: number }
  storedBytes(): number
  oldestWaitingMs(): number | null
  /** Accounts that have a message due. */
  dueAccounts(nowMs: number): string[]
  /** The four of its messages that are due longest. */
  nextOf(account: string, nowMs: number): StoredMail[]
  /** When the next message that is not due yet will be; null: there is none. */
  nextDueMs(nowMs: number): number | null
  /** Every waiting message that is not `state` becomes so, and is due at once. */
  moveWaiting(state: 'queued' | 'kept', nowMs: number): void
  /** Ids of an account's messages whose text is here. */
  idsOf(account: string): string[]
  removeAccount(account: string): void
  /** Those that ended before `ms` and those beyond the newest `most` of their account. */
  removeEnded(beforeMs: number, most: number): string[]
  /** Waiting longer than since `ms`, and failed with their text before it. */
  tooOld(state: 'kept' | 'queued' | 'failed', beforeMs: number): StoredMail[]
  sourceIds(): Set<string>
}

/** The rows over an opened database. */
export const createMailRecords = (db: Database.Database): MailRecords => {
  const byId = db.prepare<[string], Row>('select * from messages where id = ?')
  const put = db.prepare<Row>(
    `insert or replace into messages values (@id, @account, @state, @sender, @from_address,
       @replaced_from, @recipients, @subject, @size, @attempts, @created_at, @next_at, @ended_at,
       @answer, @has_source)`,
  )
  const remove = db.prepare<[string]>('delete from messages where id = ?')
  const counts = db.prepare<[], { state: MailState; n: number }>(
    'select state, count(*) as n from messages group by state',
  )
  const held = db.prepare<[string], { waiting: number | null; bytes: number | null }>(
    `select sum(state in ('queued', 'kept')) as waiting, sum(size * has_source) as bytes
     from messages where account = ?`,
  )
  const bytes = db.prepare<[], { n: number | null }>(
    'select sum(size) as n from messages where has_source = 1',
  )
  const oldest = db.prepare<[], { at: number | null }>(
    `select min(created_at) as at from messages where state in ('queued', 'kept')`,
  )
  const due = db.prepare<[number], { account: string }>(
    `select account from messages where state = 'queued' and next_at <= ? group by account`,
  )
  const nextOf = db.prepare<[string, number], Row>(
    `select * from messages where state = 'queued' and account = ? and next_at <= ?
     order by next_at, created_at limit 4`,
  )
  const nextDue = db.prepare<[number], { at: number | null }>(
    `select min(next_at) as at from messages where state = 'queued' and next_at > ?`,
  )
  const move = db.prepare<[string, number | null, string]>(
    `update messages set state = ?, next_at = ? where state = ?`,
  )
  const idsOf = db.prepare<[string], { id: string }>(
    'select id from messages where account = ? and has_source = 1',
  )
  const removeAccount = db.prepare<[string]>('delete from messages where account = ?')
  const removeEnded = db.prepare<[number, number], { id: string }>(
    `delete from messages where id in (
       select id from (select id, ended_at,
         row_number() over (partition by account order by created_at desc) as place
         from messages where ended_at is not null)
       where ended_at < ? or place > ?) returning id`,
  )
  const tooOld = db.prepare<[string, number], Row>(
    'select * from messages where state = ? and has_source = 1 and created_at < ?',
  )
  const sources = db.prepare<[], { id: string }>('select id from messages where has_source = 1')

  return {
    find: (id) => {
      const row = byId.get(id)
      return row === undefined ? null : fromRow(row)
    },
    put: (mail) =>
      void put.run({
        id: mail.id,
        account: mail.account,
        state: mail.state,
        sender: mail.sender,
        from_address: mail.from,
        replaced_from: mail.replacedFrom,
        recipients: JSON.stringify(mail.recipients),
        subject: mail.subject,
        size: mail.sizeBytes,
        attempts: mail.attempts,
        created_at: mail.createdMs,
        next_at: mail.nextMs,
        ended_at: mail.endedMs,
        answer: mail.answer,
        has_source: mail.hasSource ? 1 : 0,
      }),
    remove: (id) => void remove.run(id),
    search: ({ username, only, state, q, sort, order, offset, limit }) => {
      const where: string[] = []
      const values: (string | number)[] = []
      if (username !== undefined || only !== undefined) {
        where.push('account = ?')
        values.push(username ?? '')
      }
      if (state !== undefined) {
        where.push('state = ?')
        values.push(state)
      }
      if (q !== undefined && q !== '') {
        const like = `%${q.replaceAll(/[\\%_]/g, (one) => `\\${one}`)}%`
        const columns = ['subject', 'recipients', 'from_address', 'account', 'id']
        where.push(`(${columns.map((one) => `${one} like ? escape '\\'`).join(' or ')})`)
        values.push(...columns.map(() => like))
      }
      const from = `from messages${where.length === 0 ? '' : ` where ${where.join(' and ')}`}`
      const total = db.prepare<(string | number)[], { n: number }>(`select count(*) as n ${from}`)
      const rows = db.prepare<(string | number)[], Row>(
        `select * ${from} order by ${SORTS[sort]} ${order === 'asc' ? 'asc' : 'desc'}, created_at desc, id limit ? offset ?`,
      )
      return {
        total: total.get(...values)?.n ?? 0,
        rows: rows.all(...values, limit, offset).map(fromRow),
      }
    },
    counts: () => ({
      ...{ queued: 0, kept: 0, sent: 0, failed: 0, refused: 0 },
      ...Object.fromEntries(counts.all().map(({ state, n }) => [state, n])),
    }),
    held: (account) => {
      const row = held.get(account)
      return { waiting: row?.waiting ?? 0, bytes: row?.bytes ?? 0 }
    },
    storedBytes: () => bytes.get()?.n ?? 0,
    oldestWaitingMs: () => oldest.get()?.at ?? null,
    dueAccounts: (nowMs) => due.all(nowMs).map(({ account }) => account),
    nextOf: (account, nowMs) => nextOf.all(account, nowMs).map(fromRow),
    nextDueMs: (nowMs) => nextDue.get(nowMs)?.at ?? null,
    moveWaiting: (state, nowMs) =>
      void (state === 'queued' ? move.run(state, nowMs, 'kept') : move.run(state, null, 'queued')),
    idsOf: (account) => idsOf.all(account).map(({ id }) => id),
    removeAccount: (account) => void removeAccount.run(account),
    removeEnded: (beforeMs, most) => removeEnded.all(beforeMs, most).map(({ id }) => id),
    tooOld: (state, beforeMs) => tooOld.all(state, beforeMs).map(fromRow),
    sourceIds: () => new Set(sources.all().map(({ id }) => id)),
  }
}
