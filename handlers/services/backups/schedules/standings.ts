import type { BackupsConfig } from '../../../domain/config/config-types.ts'
import {
  defaultSchedule,
  effectiveSchedule,
  type EffectiveSchedule,
} from '../../../domain/backups/effective-schedule.ts'
import { nextRun } from '../../../domain/backups/next-run.ts'
import { timestampMs } from '../../../domain/text/timestamp.ts'
import { isBackupOverdue } from '../../../domain/backups/overdue.ts'
import type {
  BackupRunRow,
  BackupSchedule,
  BackupScheduleRow,
} from '../../../ports/store/backup-schedule-store.ts'
import type { AccountRow, Timestamp } from '../../../ports/store/records.ts'
import type { ServiceDeps } from '../../service-deps.ts'

/** Without a configuration nothing is made by itself. */
export const NO_BACKUPS: Pick<BackupsConfig, 'schedule' | 'retention_days' | 'at_once'> = {
  schedule: null,
  retention_days: 30,
  at_once: 1,
}

/** How an account stands with its scheduled backups. */
export interface Standing extends EffectiveSchedule {
  account: AccountRow
  run: BackupRunRow | null
  /** When the next one begins (unix ms); null: none is made. */
  nextMs: number | null
}

const whenNext = (
  account: AccountRow,
  { schedule, set_at }: EffectiveSchedule,
  run: BackupRunRow | null,
  nowMs: number,
): number | null => {
  if (schedule.what === 'none') return null
  if (account.status !== 'active' && account.status !== 'suspended') return null
  const last = run && { startedMs: timestampMs(run.started_at), outcome: run.outcome }
  const accountMs = timestampMs(account.created_at)
  const setMs = set_at === null ? null : timestampMs(set_at)
  return nextRun(schedule, { last, accountMs, setMs, spread: account.id }, nowMs)
}

/** The records that say how accounts stand, read once for all of them. */
export interface ScheduleRecords {
  rows: BackupScheduleRow[]
  runs: Map<number, BackupRunRow>
  /** Without the default target, which only the host knows. */
  preset: BackupSchedule
}

/** Reads them. */
export const readScheduleRecords = async ({
  store,
  backupsConfig = NO_BACKUPS,
}: Pick<ServiceDeps, 'store' | 'backupsConfig'>): Promise<ScheduleRecords> => {
  const runs = await store.listBackupRuns()
  return {
    rows: await store.listBackupSchedules(),
    runs: new Map(runs.map((run) => [run.account_id, run])),
    preset: defaultSchedule(backupsConfig, null),
  }
}

/** How one account stands. */
export const standingOf = (
  account: AccountRow,
  { rows, runs, preset }: ScheduleRecords,
  nowMs: number,
): Standing => {
  const effective = effectiveSchedule(account, rows, preset)
  const run = runs.get(account.id) ?? null
  return { account, ...effective, run, nextMs: whenNext(account, effective, run, nowMs) }
}

/** When the newest of these was made, by account. */
export const newestOfEach = (
  made: readonly { account_id: number; created_at: Timestamp }[],
): Map<number, Timestamp> => {
  const newest = new Map<number, Timestamp>()
  for (const { account_id, created_at } of made)
    if (created_at > (newest.get(account_id) ?? '')) newest.set(account_id, created_at)
  return newest
}

/** When the newest backup of each account was made, of whatever kind and wherever it is. */
export const newestBackups = async ({
  store,
}: Pick<ServiceDeps, 'store'>): Promise<Map<number, Timestamp>> =>
  newestOfEach([...(await store.listBackups()).rows, ...(await store.newestSnapshots())])

/** Whether a backup of the account should have been there. */
export const isOverdue = (
  { account, schedule, set_at, nextMs }: Omit<Standing, 'run' | 'source'>,
  newest: Timestamp | null,
  nowMs: number,
): boolean => {
  if (nextMs === null) return false
  const sinceMs = Math.max(
    timestampMs(account.created_at),
    set_at === null ? 0 : timestampMs(set_at),
  )
  const newestMs = newest === null ? null : timestampMs(newest)
  return isBackupOverdue(schedule, { newestMs, sinceMs }, nowMs)
}

/** Whether the last scheduled backup of the account came to nothing and none was made since. */
export const hasFailed = ({ run }: Pick<Standing, 'run'>, newest: Timestamp | null): boolean => {
  if (run === null || run.outcome === 'running' || run.outcome === 'done') return false
  return newest === null || newest <= (run.ended_at ?? run.started_at)
}
