import type Database from 'better-sqlite3'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { MailNews } from '#handlers/ports/host/mail/mail-queue.ts'

const HOUR_MS = 3_600_000
/** Failures of one account that are told of in an hour; the others stand in the list. */
const FAILURES_AN_HOUR = 20
const MOST_AT_ONCE = 100
/** What nobody fetched for so long is of no use any more, or the panel is gone. */
const MOST_KEPT = 10_000

interface Row {
  seq: number
  at: number
  kind: MailNews['kind']
  account: string
  message: string | null
  told: string
}

/** What the panel is to be told of. */
export interface News {
  tell(news: {
    kind: MailNews['kind']
    account: string
    message: string | null
    told: string
  }): void
  take(acknowledged: number): MailNews[]
}

/** News in the database, so that neither process's restart loses any. */
export const createNews = (db: Database.Database, nowMs: () => number): News => {
  const insert = db.prepare<[number, string, string, string | null, string]>(
    'insert into news (at, kind, account, message, told) values (?, ?, ?, ?, ?)',
  )
  const drop = db.prepare<[number]>('delete from news where seq <= ?')
  const list = db.prepare<[number], Row>('select * from news order by seq limit ?')
  const prune = db.prepare<[number]>(
    'delete from news where seq <= (select max(seq) from news) - ?',
  )
  /** When each was told, by kind and account. */
  const told = new Map<string, number[]>()
  return {
    tell({ kind, account, message, told: text }) {
      const key = `${kind} ${account}`
      const recent = (told.get(key) ?? []).filter((at) => at > nowMs() - HOUR_MS)
      if (recent.length >= (kind === 'limited' ? 1 : FAILURES_AN_HOUR)) return
      told.set(key, [...recent, nowMs()])
      insert.run(nowMs(), kind, account, message, text.slice(0, 1000))
      prune.run(MOST_KEPT)
    },
    take(acknowledged) {
      if (acknowledged > 0) drop.run(acknowledged)
      return list.all(MOST_AT_ONCE).map(({ seq, at, kind, account, message, told: text }) => ({
        seq,
        at: timestamp(at),
        kind,
        username: account === '' ? null : account,
        message,
        told: text,
      }))
    },
  }
}
