import { statSync } from 'node:fs'
import type { AccountRecords } from '../registry/accounts.ts'
import type { RemovalRecords } from '../registry/removals.ts'

const HOUR_SECS = 3600
/** So many, or this part of all accounts, whichever is more. */
const MOST = 5
const PART = 0.1

/** The method that is braked. */
export const BRAKED_METHOD = 'users/remove'

/** What removals are judged by. */
export interface RemovalBrakeOptions {
  removals: RemovalRecords
  accounts: Pick<AccountRecords, 'all'>
  /** Root makes it with `berth agent allow-removals`; it counts for an hour. */
  allowFile: string
  nowSecs?: () => number
}

const isAllowed = (file: string, nowSecs: number): boolean => {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat !== undefined && Math.abs(nowSecs - stat.mtimeMs / 1000) < HOUR_SECS
}

/**
 * Whoever has a panel's key could remove every account of a host in a minute: so no more than five
 * accounts or a tenth of them go in an hour on its word alone. Answers why one may not go, or null, and then has noted it.
 */
export const createRemovalBrake =
  ({ removals, accounts, allowFile, nowSecs = () => Date.now() / 1000 }: RemovalBrakeOptions) =>
  (username: string): string | null => {
    const now = Math.floor(nowSecs())
    const since = now - HOUR_SECS
    // Tried again, it is the same removal.
    if (removals.isNoted(username, since)) return null
    const removed = removals.since(since)
    // What was there an hour ago: a tenth of what is left would shrink with each.
    const most = Math.max(MOST, Math.floor((accounts.all().length + removed) * PART))
    if (removed >= most && !isAllowed(allowFile, now))
      return `${removed} accounts were removed from this host within an hour; on the word of a panel alone no more than ${most} are. Run "berth agent allow-removals" as root on that machine, then try again.`
    removals.note(username, now)
    return null
  }
