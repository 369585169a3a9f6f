import { MEGABYTE } from '#handlers/domain/text/megabyte.ts'
import type { RegisteredAccount } from '../registry/types.ts'
import type { HelperAccount } from './helper-process.ts'
import type { HelperPool } from './helper-pool.ts'

/** How much of their quota accounts use, as far as the host knows. */
export interface DiskUsage {
  /** Counts now. */
  usedBytes(account: HelperAccount): Promise<number>
  /** What may still be written; null without a quota. Counted a while ago, then kept in step with our writes. */
  availableBytes(account: RegisteredAccount): Promise<number | null>
  grew(username: string, bytes: number): void
  /** Drops the count; false when there was none or it is from this moment. */
  forget(username: string): boolean
}

const COUNT_TIMEOUT_MS = 300_000
/** A count younger than this is not worth repeating. */
const FRESH_MS = 1000
/** A count is kept for this many times as long as it took. */
const COUNT_SHARE = 50

/** Counts by helpers and remembers each count for `keepMs` (default 30000) or longer. */
export const createDiskUsage = (helpers: HelperPool, keepMs = 30_000): DiskUsage => {
  const counts = new Map<string, { bytes: number; atMs: number; keepMs: number }>()
  const count = async (account: HelperAccount): Promise<number> => {
    const startMs = Date.now()
    const { data } = await helpers.ask(account, { op: 'usage' }, { timeoutMs: COUNT_TIMEOUT_MS })
    const atMs = Date.now()
    // A home that takes seconds to count is not counted again at every write.
    const longMs = (atMs - startMs) * COUNT_SHARE
    counts.set(account.username, { bytes: data, atMs, keepMs: Math.max(keepMs, longMs) })
    return data
  }
  return {
    usedBytes: count,
    availableBytes: async (account) => {
      if (account.diskQuotaMb <= 0) return null
      const known = counts.get(account.username)
      const used =
        known && Date.now() - known.atMs < known.keepMs ? known.bytes : await count(account)
      return account.diskQuotaMb * MEGABYTE - used
    },
    grew: (username, bytes) => {
      const known = counts.get(username)
      if (known) known.bytes += bytes
    },
    forget: (username) => {
      const known = counts.get(username)
      counts.delete(username)
      return known !== undefined && Date.now() - known.atMs > FRESH_MS
    },
  }
}
