import { AppError } from '../errors.ts'
import type { Store } from '../ports/store.ts'

const MAX_FAILURES = 5
/** Of one address, whatever names it tries. */
const MAX_FAILURES_OF_ADDRESS = 50
const WINDOW_SECS = 15 * 60

/** Who tries to log in: the name in lower case, and what its address is counted as. */
export interface Attempt {
  username: string
  address: string
}

/** Counts failed logins of one user from one address, and of the address over all users. */
export interface LoginThrottle {
  /** Throws 429 with `Retry-After` when a window is full. */
  assertOpen(attempt: Attempt, nowSecs: number): Promise<void>
  failed(attempt: Attempt, nowSecs: number): Promise<void>
  /** Only the user's count begins anew: a guesser may have an account of its own. */
  succeeded(attempt: Attempt): Promise<void>
}

const userKey = ({ username, address }: Attempt): string => `${username}|${address}`
/** No user has an empty name. */
const addressKey = ({ address }: Attempt): string => `|${address}`

export const createLoginThrottle = (store: Store): LoginThrottle => {
  const assertBelow = async (key: string, most: number, nowSecs: number): Promise<void> => {
    const { count, oldestSecs } = await store.loginFailures(key, nowSecs - WINDOW_SECS)
    if (count < most) return
    const waitSecs = Math.max(1, oldestSecs + WINDOW_SECS - nowSecs)
    throw new AppError(
      429,
      `Too many failed logins. Try again in ${Math.ceil(waitSecs / 60)} minutes.`,
      { headers: { 'retry-after': String(waitSecs) } },
    )
  }
  return {
    async assertOpen(attempt, nowSecs) {
      await assertBelow(userKey(attempt), MAX_FAILURES, nowSecs)
      await assertBelow(addressKey(attempt), MAX_FAILURES_OF_ADDRESS, nowSecs)
    },
    async failed(attempt, nowSecs) {
      await store.recordLoginFailure(userKey(attempt), nowSecs, WINDOW_SECS)
      await store.recordLoginFailure(addressKey(attempt), nowSecs, WINDOW_SECS)
    },
    succeeded: (attempt) => store.clearLoginFailures(userKey(attempt)),
  }
}
