import { AppError } from '../../errors.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { Store } from '../../ports/store/store.ts'

const MAX_FAILURES = 5
/** Of one address, whatever names it tries. */
const MAX_FAILURES_OF_ADDRESS = 50
/** Wrong codes of a second factor, from whatever addresses: only who knows the password gets there. */
const MAX_WRONG_CODES = 10
const WINDOW_SECS = 15 * 60

/** Who tries to log in: the name in lower case, and what its address is counted as. */
export interface Attempt {
  username: string
  address: string
}

/** Counts failed logins of one user from one address, and of the address over all users. */
export interface LoginRateLimit {
  /** Throws 429 with `Retry-After` when a window is full. */
  assertOpen(attempt: Attempt, nowSecs: number): Promise<void>
  /** Counts a failure, of the user from this address and of the address. */
  failed(attempt: Attempt, nowSecs: number): Promise<void>
  /** Only the user's count begins anew: a guesser may have an account of its own. */
  succeeded(attempt: Attempt): Promise<void>
  /** Throws 429 when too many wrong codes of the user came from anywhere. */
  assertCodesOpen(user: UserRef, nowSecs: number): Promise<void>
  /** Counts a wrong code of the second factor, wherever it came from. */
  wrongCode(user: UserRef, nowSecs: number): Promise<void>
}

const userKey = ({ username, address }: Attempt): string => `${username}|${address}`
/** Of the user itself, however it is written. */
const codeKey = ({ role, id }: UserRef): string => `${role}:${id}|code`
/** No user has an empty name. */
const addressKey = ({ address }: Attempt): string => `|${address}`

export const createLoginRateLimit = (store: Store): LoginRateLimit => {
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
    assertCodesOpen: (user, nowSecs) => assertBelow(codeKey(user), MAX_WRONG_CODES, nowSecs),
    async wrongCode(user, nowSecs) {
      await store.recordLoginFailure(codeKey(user), nowSecs, WINDOW_SECS)
    },
  }
}
