import { isFresh } from './entry.ts'
import type { CacheEntry, PurgeMarks } from '../types.ts'

/** `stale`: kept only to be served while it is refreshed, or in place of an error. */
export type Freshness = 'fresh' | 'stale' | 'dead'

/** What an entry is worth now: purges, soft purges, expiry and its stale limits judged together. */
export const freshnessOf = (entry: CacheEntry, marks: PurgeMarks, nowMs: number): Freshness => {
  if (marks.isPurged(entry)) return 'dead'
  if (isFresh(entry, nowMs) && !marks.isSoftPurged(entry)) return 'fresh'
  return isServedWhileRefreshed(entry, nowMs) || isServedOnError(entry, nowMs) ? 'stale' : 'dead'
}

/** Whether a stale entry may be served at once while the origin is asked behind it. */
export const isServedWhileRefreshed = ({ stale }: CacheEntry, nowMs: number): boolean =>
  stale !== undefined && nowMs < stale.refreshUntilMs

/** Whether a stale entry may be served in place of an error. */
export const isServedOnError = ({ stale }: CacheEntry, nowMs: number): boolean =>
  stale !== undefined && nowMs < Math.max(stale.errorUntilMs, stale.refreshUntilMs)
