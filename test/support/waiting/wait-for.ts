import { vi } from 'vitest'

/** What a busy machine takes now and then; only what never comes true takes all of it. */
const LIMIT_MS = 20_000

/**
 * Tries `check` until it throws nothing, and resolves to its answer. Rejects with what it threw
 * last. As `vi.waitFor`, whose own limit of a second is no sign of a fault.
 *
 * @param options default: 20 seconds, a try every 50 ms
 */
export const waitFor = <T>(
  check: () => T | Promise<T>,
  options: { timeout?: number; interval?: number } = {},
): Promise<T> =>
  // eslint-disable-next-line no-restricted-syntax -- the one place
  vi.waitFor(check, { timeout: LIMIT_MS, ...options })
