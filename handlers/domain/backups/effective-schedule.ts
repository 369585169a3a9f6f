import type { BackupSchedule, BackupScheduleRow } from '../../ports/store/backup-schedule-store.ts'
import type { Timestamp } from '../../ports/store/records.ts'

/** How long after its hour the default's run is made up for. */
const DEFAULT_WINDOW_HOURS = 6

/** `[backups]` of the configuration as a schedule. */
export const defaultSchedule = (
  config: { schedule: number | null; retention_days: number },
  target: string | null,
): BackupSchedule => {
  const from = config.schedule ?? 0
  return {
    what: config.schedule === null ? 'none' : 'archive',
    every_hours: 24,
    window: config.schedule === null ? null : { from, to: (from + DEFAULT_WINDOW_HOURS) % 24 },
    places: ['local', ...(target === null ? [] : [target])],
    retention: { last: 0, hourly: 0, daily: config.retention_days, weekly: 0, monthly: 0 },
  }
}

/** The schedule that an account has, and from where. */
export interface EffectiveSchedule {
  source: 'account' | 'plan' | 'default'
  schedule: BackupSchedule
  /** When it was set; null for the default. */
  set_at: Timestamp | null
}

/** An account's own schedule, else its plan's, else the default. */
export const effectiveSchedule = (
  account: { id: number; plan: string },
  rows: readonly BackupScheduleRow[],
  preset: BackupSchedule,
): EffectiveSchedule => {
  const own = rows.find(({ owner }) => 'accountId' in owner && owner.accountId === account.id)
  const ofPlan = rows.find(({ owner }) => 'plan' in owner && owner.plan === account.plan)
  const row = own ?? ofPlan
  if (row === undefined) return { source: 'default', schedule: preset, set_at: null }
  const source = row === own ? 'account' : 'plan'
  return { source, schedule: row.schedule, set_at: row.updated_at }
}
