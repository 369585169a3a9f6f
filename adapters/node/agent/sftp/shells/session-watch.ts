import type { Log } from '#handlers/ports/log.ts'
import type { HostAccount } from '../../accounts/account-host.ts'
import { endAll } from '../end-all.ts'
import { leftBehind, processesIn } from './session-processes.ts'

/** Looks after sessions in the rooms of shells. */
export interface SessionWatch {
  /** Looks now and then from here on, until `end`. */
  start(): void
  began(username: string): void
  /** Pages are made new at once where it was the last of the account. */
  ended(username: string): void
  forget(username: string): void
  end(): void
}

interface Deps {
  /** The account and its room; null: it has none. */
  roomOf(username: string): { account: HostAccount; path: string } | null
  /** Those who have a room. */
  usernames(): string[]
  /** Makes pages new of the account whose files changed since then; answers when it has looked. */
  renewPages(account: HostAccount, sinceMs: number): Promise<void>
  log: Log
}

const LOOK_EVERY_MS = 2000
/** Also where sshd's word about a session was lost. */
const LOOK_AT_ALL_EVERY_MS = 30_000
/** A search through files takes at most this part of the time. */
const REST_FACTOR = 10

interface Busy {
  /** What changed since then is not looked for yet. */
  sinceMs: number
  /** No search before, unless it is the last. */
  restUntilMs: number
  /** What ran, and how long, when it was looked last. */
  mark: string
  /** Something may have changed. */
  due: boolean
  /** Somebody said so while it was looked. */
  again: boolean
  isLooking: boolean
}

/**
 * While an account has sessions: ends what left one that is over, and has pages made new
 * after its processes ran.
 */
export const createSessionWatch = ({ roomOf, usernames, renewPages, log }: Deps): SessionWatch => {
  const busy = new Map<string, Busy>()
  /** What changed before is known. */
  const searchedMs = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let allAtMs = 0

  const search = async (account: HostAccount, one: Busy): Promise<void> => {
    const beganMs = Date.now()
    const { sinceMs } = one
    one.due = false
    one.sinceMs = beganMs
    searchedMs.set(account.username, beganMs)
    await renewPages(account, sinceMs)
    one.restUntilMs = Date.now() + (Date.now() - beganMs) * REST_FACTOR
  }
  const lookOnce = async (username: string, one: Busy): Promise<void> => {
    const found = roomOf(username)
    if (found === null) return void busy.delete(username)
    const { account, path } = found
    const list = () => processesIn(account.uid, path)
    let processes = await list()
    if (leftBehind(processes).length > 0) {
      log.info('what a session of an account left behind is ended', { username })
      await endAll(async () => leftBehind(await list()))
      processes = await list()
      one.due = true
    }
    const own = processes.filter(({ serves }) => !serves)
    const mark = own.map(({ pid, ranNs }) => `${pid} ${ranNs}`).join()
    if (mark !== one.mark) one.due = true
    one.mark = mark
    if (one.due && (own.length === 0 || Date.now() >= one.restUntilMs)) await search(account, one)
    if (processes.length === 0 && !one.due && !one.again) busy.delete(username)
  }
  const look = async (username: string): Promise<void> => {
    const one = busy.get(username)
    if (one === undefined) return
    one.again = true
    if (one.isLooking) return
    one.isLooking = true
    while (one.again) {
      one.again = false
      await lookOnce(username, one).catch((error: unknown) =>
        log.error('sessions of an account are not looked after', {
          username,
          error: String(error),
        }),
      )
    }
    one.isLooking = false
  }
  const begin = (username: string, sinceMs: number): Busy => {
    const before = busy.get(username)
    if (before !== undefined) return before
    const since = Math.max(sinceMs, searchedMs.get(username) ?? 0)
    const one = {
      sinceMs: since,
      restUntilMs: 0,
      mark: '',
      due: false,
      again: false,
      isLooking: false,
    }
    busy.set(username, one)
    return one
  }
  const tick = (): void => {
    if (Date.now() - allAtMs > LOOK_AT_ALL_EVERY_MS) {
      for (const username of usernames()) begin(username, Date.now() - 2 * LOOK_AT_ALL_EVERY_MS)
      allAtMs = Date.now()
    }
    for (const username of busy.keys()) void look(username)
  }
  return {
    start() {
      timer ??= setInterval(tick, LOOK_EVERY_MS).unref()
    },
    began(username) {
      begin(username, Date.now() - LOOK_EVERY_MS)
    },
    ended(username) {
      begin(username, Date.now() - LOOK_EVERY_MS).due = true
      void look(username)
    },
    forget(username) {
      busy.delete(username)
      searchedMs.delete(username)
    },
    end() {
      clearInterval(timer)
      timer = undefined
      busy.clear()
      searchedMs.clear()
    },
  }
}
