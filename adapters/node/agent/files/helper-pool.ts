import { accountIsChanging, startHelper } from './helper-process.ts'
import type { HelperAccount, HelperProcess } from './helper-process.ts'
import { unavailable } from '#handlers/errors.ts'
import type { HelperAnswer, HelperRequest } from './helper-messages.ts'

/** File helpers of all accounts: one each, started on demand and kept for a while. */
export interface HelperPool {
  ask<R extends HelperRequest>(
    account: HelperAccount,
    request: R,
    options?: { body?: Uint8Array; timeoutMs?: number },
  ): Promise<{ data: HelperAnswer<R['op']>; body: Buffer }>
  /** Ends the account's helper; what it was asked fails with 409. */
  end(username: string): Promise<void>
  /**
   * Ends the account's helper and starts none until `work` is done, which may end every
   * process of the account; what is asked meanwhile fails with 409.
   */
  closedDuring(username: string, work: () => Promise<void>): Promise<void>
  endAll(): Promise<void>
}

interface Kept {
  helper: HelperProcess
  account: HelperAccount
  idle: NodeJS.Timeout | null
}

const MAX_PENDING = 64
const USUAL_START_SECS = 60
/** What is given more time on a slow machine is given so much at the most. */
const MOST_PATIENCE_MS = 300_000

/** How many times slower the machine is than most, by what `[server] worker_start_secs` gives a start. */
export const patienceOf = (workerStartSecs: number): number =>
  Math.max(1, workerStartSecs / USUAL_START_SECS)

/** What may be asked twice. */
const REPEATABLE = new Set<HelperRequest['op']>(['ensure', 'list', 'read', 'usage', 'wordpress'])

/**
 * `asRoot`: whether helpers are started as their accounts' users. `idleMs`:
 * how long an unused helper is kept (default 60000). Default timeout of one
 * request: 30 s.
 */
export const createHelperPool = (options: {
  asRoot: boolean
  idleMs?: number
  /** How many times longer than on a usual machine an answer may take (`patienceOf`); default 1. */
  patience?: number
}): HelperPool => {
  const { idleMs = 60_000, patience = 1 } = options
  const kept = new Map<string, Kept>()
  const closed = new Set<string>()

  const end = async (username: string): Promise<void> => {
    const entry = kept.get(username)
    if (!entry) return
    kept.delete(username)
    if (entry.idle) clearTimeout(entry.idle)
    await entry.helper.end()
  }
  const forget = (username: string, entry: Kept): void => {
    if (entry.idle) clearTimeout(entry.idle)
    if (kept.get(username) === entry) kept.delete(username)
  }
  const obtain = (account: HelperAccount): Kept => {
    const have = kept.get(account.username)
    // The same name with another uid is another account.
    if (have && !have.helper.ended && have.account.uid === account.uid) return have
    if (have) {
      forget(account.username, have)
      void have.helper.end()
    }
    const entry: Kept = { helper: startHelper(account, options.asRoot), account, idle: null }
    kept.set(account.username, entry)
    return entry
  }

  return {
    ask: async function ask(account, request, { body, timeoutMs: usualMs = 30_000 } = {}) {
      const timeoutMs = Math.max(usualMs, Math.min(usualMs * patience, MOST_PATIENCE_MS))
      if (closed.has(account.username)) throw accountIsChanging()
      const before = kept.get(account.username)
      const entry = obtain(account)
      if (entry.helper.pending >= MAX_PENDING)
        throw unavailable(
          'Too many file operations of this account are under way. Try again in a moment.',
        )
      if (entry.idle) clearTimeout(entry.idle)
      try {
        return await entry.helper.ask(
          request,
          body === undefined ? { timeoutMs } : { body, timeoutMs },
        )
      } catch (error) {
        // The account can end its helper, like any process of its own, between two questions. One
        // that the pool itself ended is not kept any more.
        const vanished = entry.helper.gone && kept.get(account.username) === entry
        if (!vanished || before !== entry || !REPEATABLE.has(request.op)) throw error
        forget(account.username, entry)
        return await ask(account, request, { timeoutMs: usualMs })
      } finally {
        if (entry.helper.ended) forget(account.username, entry)
        else if (entry.helper.pending === 0) {
          if (entry.idle) clearTimeout(entry.idle)
          entry.idle = setTimeout(() => void end(account.username), idleMs)
          entry.idle.unref()
        }
      }
    },
    end,
    async closedDuring(username, work) {
      // One at a time: the account's turn is held by whoever calls.
      closed.add(username)
      try {
        await end(username)
        await work()
      } finally {
        closed.delete(username)
      }
    },
    endAll: async () => {
      await Promise.all([...kept.keys()].map(end))
    },
  }
}
