import { AppError } from '../errors.ts'
import type { Store } from '../ports/store.ts'

const MAX_FAILURES = 5
const WINDOW_SECS = 15 * 60

/** Counts failed logins of one user from one address. */
export interface LoginThrottle {
  /** Throws 429 with `Retry-After` when the window is full. */
  assertOpen(key: string, nowSecs: number): Promise<void>
  failed(key: string, nowSecs: number): Promise<void>
  succeeded(key: string): Promise<void>
}

export const createLoginThrottle = (store: Store): LoginThrottle => ({
  async assertOpen(key, nowSecs) {
    const { count, oldestSecs } = await store.loginFailures(key, nowSecs - WINDOW_SECS)
    if (count < MAX_FAILURES) return
    const waitSecs = Math.max(1, oldestSecs + WINDOW_SECS - nowSecs)
    throw new AppError(
      429,
      `Too many failed logins. Try again in ${Math.ceil(waitSecs / 60)} minutes.`,
      { headers: { 'retry-after': String(waitSecs) } },
    )
  },
  async failed(key, nowSecs) {
    await store.recordLoginFailure(key, nowSecs, WINDOW_SECS)
  },
  succeeded: (key) => store.clearLoginFailures(key),
})
