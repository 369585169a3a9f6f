import type Database from 'better-sqlite3'
import type { MailAllowance } from '#handlers/ports/host/mail/mail-queue.ts'

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES
/** Of an account whose plan nobody told. */
export const DEFAULT_PER_HOUR = 100
/** How many hours' worth an account may send in 24 hours. */
const HOURS_OF_A_DAY = 10
/** Stands for all senders together. */
const EVERYBODY = '*'

/** How much everybody sent and may send; a message that is removed still counts. */
export interface Usage {
  allowance(account: string): MailAllowance
  /** What the panel says of an account. */
  setAccount(account: string, told: { perHour: number; mainDomain: string }): void
  /** Null: the panel has not said it yet. */
  mainDomain(account: string): string | null
  /** Mails of the last hour, by all. */
  ofAll(): number
  count(account: string, mails: number): void
  forget(account: string): void
  /** Drops what is too old to count. */
  tidy(): void
}

/** Counts by minutes, over an opened database. */
export const createUsage = (db: Database.Database, nowMs: () => number): Usage => {
  const add = db.prepare<[string, number, number]>(
    `insert into usage values (?, ?, ?)
     on conflict (account, minute) do update set mails = mails + excluded.mails`,
  )
  const sum = db.prepare<[string, number], { n: number | null }>(
    'select sum(mails) as n from usage where account = ? and minute > ?',
  )
  const limit = db.prepare<[string], { per_hour: number }>(
    'select per_hour from limits where account = ?',
  )
  const setLimit = db.prepare<[string, number]>('insert or replace into limits values (?, ?)')
  const main = db.prepare<[string], { domain: string }>(
    'select domain from main_domains where account = ?',
  )
  const setMain = db.prepare<[string, string]>('insert or replace into main_domains values (?, ?)')
  const forgetMain = db.prepare<[string]>('delete from main_domains where account = ?')
  const forgetUsage = db.prepare<[string]>('delete from usage where account = ?')
  const forgetLimit = db.prepare<[string]>('delete from limits where account = ?')
  const tidy = db.prepare<[number]>('delete from usage where minute <= ?')
  const minute = (): number => Math.floor(nowMs() / MINUTE_MS)
  const since = (account: string, minutes: number): number =>
    sum.get(account, minute() - minutes)?.n ?? 0
  const both = db.transaction((account: string, mails: number) => {
    for (const name of [account, EVERYBODY]) add.run(name, minute(), mails)
  })
  const setAccount = db.transaction<Usage['setAccount']>((account, { perHour, mainDomain }) => {
    setLimit.run(account, perHour)
    setMain.run(account, mainDomain)
  })
  return {
    allowance: (account) => {
      const perHour = limit.get(account)?.per_hour ?? DEFAULT_PER_HOUR
      return {
        lastHour: since(account, HOUR_MINUTES),
        lastDay: since(account, DAY_MINUTES),
        perHour,
        perDay: perHour * HOURS_OF_A_DAY,
      }
    },
    setAccount: (account, told) => setAccount(account, told),
    mainDomain: (account) => main.get(account)?.domain ?? null,
    ofAll: () => since(EVERYBODY, HOUR_MINUTES),
    count: (account, mails) => void both(account, mails),
    forget: (account) => {
      forgetUsage.run(account)
      forgetLimit.run(account)
      forgetMain.run(account)
    },
    tidy: () => void tidy.run(minute() - DAY_MINUTES),
  }
}
