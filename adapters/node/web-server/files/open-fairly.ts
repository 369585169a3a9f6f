import { existsSync, open, openSync } from 'node:fs'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import { ownTime } from './own-time.ts'

/** An open that takes longer is no ordinary one: a cold disk, or links that lead through links. */
const SLOW_MS = 0.5
/** What slow opens may cost the event loop per account at a time; then the thread pool makes them. */
const SLOW_BUDGET_MS = 20
/** Of what was spent, so much is forgiven per millisecond: the budget in ten seconds. */
const FORGIVEN_PER_MS = SLOW_BUDGET_MS / 10_000
/** More is not held against an account, which so is back on the event loop after ten seconds at most. */
const MAX_SPENT_MS = 2 * SLOW_BUDGET_MS
/**
 * What a quick look gives back: where there are tens of thousands a second, now and then
 * one is interrupted or meets the collector, which is not the account's doing.
 */
const QUICK_CREDIT_MS = 0.005
const MAX_ACCOUNTS = 10_000
/**
 * Thousands of quick looks for one request are slow as well, since none of them waits for
 * anything: within this time no more than that is spent on opening, then the thread pool
 * does it and others have their turn.
 */
const WINDOW_MS = 20
const WINDOW_BUDGET_MS = 15
/** What follows a look (who owns it, where it really lies), about. */
const JUDGING_MS = 0.005
/** Threads are shared with what reads and writes for everyone: one stays free of slow opens. */
const MAX_THREADS = 3
const MAX_THREADS_PER_ACCOUNT = 2
const MAX_WAITING_PER_ACCOUNT = 256

interface Account {
  spentMs: number
  /** When `spentMs` was right. */
  atMs: number
  running: number
  waiting: (() => void)[]
}

let windowStartMs = 0
let windowSpentMs = 0

/** Adds a look that began at `startMs` to what was spent lately. */
const note = (startMs: number, tookMs: number): void => {
  if (startMs - windowStartMs >= WINDOW_MS) {
    windowStartMs = startMs
    windowSpentMs = 0
  }
  windowSpentMs += tookMs + JUDGING_MS
}

/** Whether looks took most of the time lately. */
const isCrowded = (): boolean =>
  windowSpentMs >= WINDOW_BUDGET_MS && performance.now() - windowStartMs < WINDOW_MS

const accounts = new Map<string, Account>()
/** Accounts with waiting opens, the one whose turn is next first. */
const queue: Account[] = []
let threads = 0

const accountOf = (key: string): Account => {
  const now = performance.now()
  const known = accounts.get(key)
  if (known) {
    known.spentMs = Math.max(0, known.spentMs - (now - known.atMs) * FORGIVEN_PER_MS)
    known.atMs = now
    return known
  }
  if (accounts.size >= MAX_ACCOUNTS) {
    for (const [name, account] of accounts) if (account.running === 0) accounts.delete(name)
  }
  const account = { spentMs: 0, atMs: now, running: 0, waiting: [] }
  accounts.set(key, account)
  return account
}

const startNext = (): void => {
  for (let tries = queue.length; tries > 0 && threads < MAX_THREADS; tries--) {
    const account = queue.shift() as Account
    if (account.running < MAX_THREADS_PER_ACCOUNT) account.waiting.shift()?.()
    if (account.waiting.length > 0) queue.push(account)
  }
}

const openInThread = (account: Account, path: string, flags: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const start = (): void => {
      threads++
      account.running++
      open(path, flags, (error, fd) => {
        threads--
        account.running--
        if (error) reject(error)
        else resolve(fd)
        startNext()
      })
    }
    if (account.waiting.length >= MAX_WAITING_PER_ACCOUNT) {
      return reject(new OriginError(503, 'too many files of the account wait to be opened'))
    }
    account.waiting.push(start)
    if (!queue.includes(account)) queue.push(account)
    startNext()
  })

/** An account that has used up its share of the event loop; null: it has not. */
const slowAccount = (key: string): Account | null => {
  const known = accounts.get(key)
  if (known === undefined || known.spentMs < SLOW_BUDGET_MS) return null
  const account = accountOf(key)
  return account.spentMs >= SLOW_BUDGET_MS ? account : null
}

const charge = (key: string, tookMs: number): void => {
  const ownMs = ownTime.of(tookMs)
  if (ownMs <= SLOW_MS) return
  const account = accountOf(key)
  account.spentMs = Math.min(MAX_SPENT_MS, account.spentMs + ownMs)
}

/** Does something on the event loop, at the account's expense where it is slow. */
const atOnce = <Result>(key: string, work: () => Result): Result => {
  const startMs = performance.now()
  try {
    return work()
  } finally {
    const tookMs = performance.now() - startMs
    note(startMs, tookMs)
    if (tookMs > SLOW_MS) charge(key, tookMs)
  }
}

/**
 * Opens a path. Local files open in microseconds, synchronously, as other web
 * servers do it; but whoever owns the tree can lay links that take the kernel
 * milliseconds, so an account (`key`: its home) that has used up its share of
 * the event loop waits for the thread pool, a few at a time. Throws or rejects
 * with the system's error, or with `OriginError` 503 when too many wait.
 */
export const openFairly = (key: string, path: string, flags: number): number | Promise<number> => {
  const known = slowAccount(key) ?? (isCrowded() ? accountOf(key) : null)
  return known === null
    ? atOnce(key, () => openSync(path, flags))
    : openInThread(known, path, flags)
}

/** Whether anything is at a path, links followed; null where that may be slow (see `openFairly`). */
export const existsFairly = (key: string, path: string): boolean | null => {
  const known = accounts.get(key)
  if (known !== undefined && slowAccount(key) !== null) return null
  const startMs = performance.now()
  const exists = existsSync(path)
  const tookMs = performance.now() - startMs
  if (tookMs > SLOW_MS) charge(key, tookMs)
  else if (known !== undefined && known.spentMs > 0)
    known.spentMs = Math.max(0, known.spentMs - QUICK_CREDIT_MS)
  return exists
}
