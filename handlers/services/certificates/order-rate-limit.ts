import { AppError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'

const WINDOW_MS = 86_400_000
/** Authorities count the orders of the whole installation; one customer must not use them up. */
const MAX_ORDERS = 20

/** Bounds how many certificates one account orders, failed attempts included. */
export interface OrderRateLimit {
  /** Counts an order. Throws 429 with `Retry-After` when the account had 20 within 24 hours. */
  count(accountId: number): void
}

export const createOrderRateLimit = (clock: Clock): OrderRateLimit => {
  const orders = new Map<number, number[]>()
  return {
    count(accountId) {
      const nowMs = clock.nowMs()
      const recent = (orders.get(accountId) ?? []).filter((atMs) => atMs > nowMs - WINDOW_MS)
      const [oldestMs = nowMs] = recent
      if (recent.length >= MAX_ORDERS) {
        const secs = Math.ceil((oldestMs + WINDOW_MS - nowMs) / 1000)
        throw new AppError(
          429,
          `This account has ordered ${MAX_ORDERS} certificates within 24 hours. Try again later, or ask the administrator.`,
          { headers: { 'retry-after': String(secs) } },
        )
      }
      orders.set(accountId, [...recent, nowMs])
    },
  }
}
