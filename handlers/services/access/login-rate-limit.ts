import { unixSecs } from '../../domain/text/timestamp.ts'
import { AppError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type {
  AttemptLimit,
  LoginAttemptStore,
} from '../../ports/store/access/login-attempt-store.ts'

const MAX_FAILURES = 5
/** Of one address, whatever names it tries. */
const MAX_FAILURES_OF_ADDRESS = 50
/** Wrong codes of a second factor, from whatever addresses: only who knows the password gets there. */
const MAX_WRONG_CODES = 10
const WINDOW_SECS = 15 * 60
/** Longer than a check takes; who never told how it ended, because the process did, has failed then. */
const OPEN_SECS = 60
const POLL_MS = 50
/** Looks at attempts that are being checked elsewhere: 20 seconds. */
const MAX_POLLS = 400

/** Who tries to log in: the name in lower case, and what its address is counted as. */
export interface Attempt {
  username: string
  address: string
}

/** An attempt that was let through, and counts as a failure until it is said to be none. */
export interface CountedAttempt {
  failed(): Promise<void>
  /** Only the user's count begins anew: a guesser may have an account of its own. */
  succeeded(): Promise<void>
  /** Nothing was guessed, unless it failed or succeeded before. */
  release(): Promise<void>
}

/**
 * Counts failed logins of one user from one address, and of the address over all users. An attempt
 * is noted before anything is checked: parallel guesses would else all be let through before one of
 * them is counted. Those that others are checking are waited for, since they may be right.
 */
export interface LoginRateLimit {
  /** Throws 429 with `Retry-After` when a window is full. */
  begin(attempt: Attempt): Promise<CountedAttempt>
  /** A code of the second factor, wherever it comes from. Throws 429 when too many of the user were wrong. */
  beginCode(user: UserRef): Promise<CountedAttempt>
}

const userKey = ({ username, address }: Attempt): string => `${username}|${address}`
/** Of the user itself, however it is written. */
const codeKey = ({ role, id }: UserRef): string => `${role}:${id}|code`
/** No user has an empty name. */
const addressKey = ({ address }: Attempt): string => `|${address}`

const tooMany = (text: string, waitSecs: number): AppError =>
  new AppError(429, text, { headers: { 'retry-after': String(waitSecs) } })

export const createLoginRateLimit = (store: LoginAttemptStore, clock: Clock): LoginRateLimit => {
  const begin = async (
    limits: readonly AttemptLimit[],
    forgetKey: string | null,
  ): Promise<CountedAttempt> => {
    const id = crypto.randomUUID()
    let isSettled = false
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      const atSecs = unixSecs(clock.nowMs())
      const window = { atSecs, windowSecs: WINDOW_SECS, openSecs: OPEN_SECS }
      const verdict = await store.beginLoginAttempt({ id, limits, ...window })
      if (verdict.state === 'begun') {
        const settle = async (write: () => Promise<void>): Promise<void> => {
          if (isSettled) return
          // Before the write: what could not be written stays counted.
          isSettled = true
          await write()
        }
        return {
          failed: () => settle(() => store.failLoginAttempt(id)),
          succeeded: () => settle(() => store.endLoginAttempt(id, forgetKey)),
          release: () => settle(() => store.endLoginAttempt(id, null)),
        }
      }
      if (verdict.state === 'full') {
        const waitSecs = Math.max(1, verdict.oldestSecs + WINDOW_SECS - atSecs)
        throw tooMany(
          `Too many failed logins. Try again in ${Math.ceil(waitSecs / 60)} minutes.`,
          waitSecs,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
    throw tooMany('Too many logins are being checked. Try again in a moment.', 1)
  }
  return {
    begin: (attempt) =>
      begin(
        [
          { key: userKey(attempt), most: MAX_FAILURES },
          { key: addressKey(attempt), most: MAX_FAILURES_OF_ADDRESS },
        ],
        userKey(attempt),
      ),
    beginCode: (user) => begin([{ key: codeKey(user), most: MAX_WRONG_CODES }], null),
  }
}
