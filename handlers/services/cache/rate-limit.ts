import { AppError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'

const WINDOW_MS = 60_000

/** Bounds how often something is done for one account. */
export interface CacheRateLimit {
  /** Counts one call. Throws 429 with `Retry-After` when the minute's calls are used up. */
  count(accountId: number): void
}

/** `limit` calls a minute and account; `what` stands in the refusal, e.g. `purges`. */
export const createCacheRateLimit = (clock: Clock, limit: number, what: string): CacheRateLimit => {
  const windows = new Map<number, { sinceMs: number; calls: number }>()
  return {
    count(accountId) {
      const nowMs = clock.nowMs()
      const known = windows.get(accountId)
      const own = known && nowMs - known.sinceMs < WINDOW_MS ? known : { sinceMs: nowMs, calls: 0 }
      if (own.calls >= limit) {
        const secs = Math.ceil((own.sinceMs + WINDOW_MS - nowMs) / 1000)
        throw new AppError(
          429,
          `This account may do ${limit} ${what} a minute. Wait ${secs} seconds, or name several pages at once.`,
          { headers: { 'retry-after': String(secs) } },
        )
      }
      own.calls++
      windows.set(accountId, own)
    },
  }
}
