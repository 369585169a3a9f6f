import { unixSecs } from '../../domain/text/timestamp.ts'
import { AppError } from '../../errors.ts'
import type { ServiceDeps } from '../service-deps.ts'

const WINDOW_SECS = 86_400
/** Authorities count the orders of the whole installation; one customer must not use them up. */
const MAX_ORDERS = 20

/** Bounds how many certificates one account orders, failed attempts included, over all instances of the panel. */
export interface OrderRateLimit {
  /** Counts an order. Throws 429 with `Retry-After` when the account had 20 within 24 hours. */
  count(accountId: number): Promise<void>
}

export const createOrderRateLimit = ({
  store,
  clock,
}: Pick<ServiceDeps, 'store' | 'clock'>): OrderRateLimit => ({
  async count(accountId) {
    const atSecs = unixSecs(clock.nowMs())
    const full = await store.countRate({
      ...{ key: `certificate orders of ${accountId}`, most: MAX_ORDERS },
      ...{ windowSecs: WINDOW_SECS, atSecs },
    })
    if (full === null) return
    throw new AppError(
      429,
      `This account has ordered ${MAX_ORDERS} certificates within 24 hours. Try again later, or ask the administrator.`,
      { headers: { 'retry-after': String(full.oldestSecs + WINDOW_SECS - atSecs) } },
    )
  },
})
