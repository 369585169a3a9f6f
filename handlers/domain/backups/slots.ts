import type { BackupSchedule } from '../../ports/store/backup-schedule-store.ts'

/** In milliseconds. */
export const HOUR_MS = 3_600_000
/** In milliseconds. */
export const DAY_MS = 24 * HOUR_MS

/** What of a schedule says when. */
export type When = Pick<BackupSchedule, 'every_hours' | 'window'>

/** Where the days of a schedule begin: with its window. */
const anchorOf = ({ window }: When): number => (window?.from ?? 0) * HOUR_MS

/** How long a window is open each day; one that ends where it begins is always open. */
const openMs = ({ window }: When): number =>
  window === null ? DAY_MS : ((window.to - window.from + 24) % 24 || 24) * HOUR_MS

/** What has passed of the schedule's day. */
const intoDay = (when: When, ms: number): number =>
  (((ms - anchorOf(when)) % DAY_MS) + DAY_MS) % DAY_MS

/** Whether a run may begin at this moment. */
export const isOpen = (when: When, ms: number): boolean => intoDay(when, ms) < openMs(when)

/** When the window opens next, after `ms`. */
export const nextOpening = (when: When, ms: number): number => ms - intoDay(when, ms) + DAY_MS

/**
 * Slots stand on the clock, not behind the last run, so that a run that began late does
 * not make all later ones late. Weekly ones are spread over the days of the week by
 * `spread`, e.g. an account's id.
 */
const gridOf = (when: When, spread: number): { first: number; step: number } => {
  const step = when.every_hours * HOUR_MS
  const days = step > DAY_MS ? spread % Math.round(step / DAY_MS) : 0
  return { first: anchorOf(when) + days * DAY_MS, step }
}

/** The last slot that began at `ms` or before. */
export const slotAt = (when: When, ms: number, spread = 0): number => {
  const { first, step } = gridOf(when, spread)
  let slot = first + Math.floor((ms - first) / step) * step
  while (!isOpen(when, slot)) slot -= step
  return slot
}

/** The first slot that begins after `ms`. */
export const slotAfter = (when: When, ms: number, spread = 0): number => {
  const { first, step } = gridOf(when, spread)
  let slot = first + (Math.floor((ms - first) / step) + 1) * step
  while (!isOpen(when, slot)) slot += step
  return slot
}

/** The longest time between two slots: over night, where the window is shut. */
export const longestGap = (when: When): number => {
  const step = when.every_hours * HOUR_MS
  if (step >= DAY_MS) return step
  const lastOfDay = Math.floor((openMs(when) - 1) / step) * step
  return Math.max(step, DAY_MS - lastOfDay)
}
