import { HOUR_MS, longestGap, type When } from './slots.ts'

/** Within which a run is made up for, and a round over many large accounts ends. */
const LEAST_PATIENCE_MS = 2 * HOUR_MS
const MOST_PATIENCE_MS = 12 * HOUR_MS

/**
 * Whether a scheduled backup of an account should have been there: a day and a half after
 * the last one for a daily schedule, a week and a half a day for a weekly one. Moments are
 * unix ms; `sinceMs` is that of the account or of its schedule, whichever is the later.
 */
export const isBackupOverdue = (
  when: When,
  { newestMs, sinceMs }: { newestMs: number | null; sinceMs: number },
  nowMs: number,
): boolean => {
  const gap = longestGap(when)
  const patience = Math.min(Math.max(gap, LEAST_PATIENCE_MS), MOST_PATIENCE_MS)
  return nowMs - Math.max(newestMs ?? 0, sinceMs) > gap + patience
}
