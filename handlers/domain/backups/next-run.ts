import type { BackupRunRow } from '../../ports/store/backup-schedule-store.ts'
import { DAY_MS, HOUR_MS, isOpen, nextOpening, slotAfter, slotAt, type When } from './slots.ts'

/** What is known of an account's scheduled backups; moments are unix ms. */
export interface RunsSoFar {
  last: { startedMs: number; outcome: BackupRunRow['outcome'] } | null
  /** Since when there is something to back up. */
  accountMs: number
  /** When the schedule was set; null: it has always been so. */
  setMs: number | null
  /** See `slotAt`. */
  spread: number
}

/** When the next run begins (unix ms); it is due when that is not after `nowMs`. */
export const nextRun = (when: When, runs: RunsSoFar, nowMs: number): number => {
  const { accountMs, spread } = runs
  const horizon = nowMs + when.every_hours * HOUR_MS
  // Further ahead than a period lies nothing but a clock that was wrong.
  const last = runs.last !== null && runs.last.startedMs <= horizon ? runs.last : null
  const setMs = runs.setMs !== null && runs.setMs <= horizon ? runs.setMs : null
  const isFirst = last === null || (setMs !== null && setMs > last.startedMs)
  const isSoon = isFirst || last.outcome === 'failed'
  // A week would be long for the first one, and after one that failed.
  const pace: When = isSoon && when.every_hours > 24 ? { ...when, every_hours: 24 } : when
  const lastMs =
    last?.outcome === 'interrupted' ? slotAt(pace, last.startedMs, spread) - 1 : last?.startedMs
  const known = [lastMs ?? accountMs, setMs ?? 0].filter((ms) => ms <= horizon)
  const base = Math.max(...known)
  const slot =
    lastMs === undefined && accountMs > horizon
      ? slotAt(pace, nowMs, spread)
      : slotAfter(pace, base, spread)
  const due =
    slot > nowMs || isOpen(when, nowMs)
      ? slot
      : isFirst
        ? nextOpening(when, nowMs)
        : Math.min(nextOpening(when, nowMs), slot + DAY_MS)
  // What ended with the panel may be why it ended.
  return last?.outcome === 'interrupted' ? Math.max(due, last.startedMs + HOUR_MS) : due
}
