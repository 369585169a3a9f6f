import type { Retention } from '../retention.ts'
import type { Timestamp } from './records.ts'

/** Hours between two scheduled backups; 168 is once a week. */
export const EVERY_HOURS = [1, 2, 3, 4, 6, 8, 12, 24, 168] as const
/** One of `EVERY_HOURS`. */
export type EveryHours = (typeof EVERY_HOURS)[number]

/** When backups are made by themselves, of what kind, where, and which of them are kept. */
export interface BackupSchedule {
  /** `none`: none are made. */
  what: 'archive' | 'snapshot' | 'none'
  every_hours: EveryHours
  /** Hours of the day, UTC, between which a run may begin; over midnight where `from` is later. Null: any time. */
  window: { from: number; to: number } | null
  /** `local`, names of targets. */
  places: string[]
  retention: Retention
}

/** Whose schedule it is. */
export type ScheduleOwner = { plan: string } | { accountId: number }

/** A schedule that somebody set. */
export interface BackupScheduleRow {
  owner: ScheduleOwner
  schedule: BackupSchedule
  updated_at: Timestamp
}

/** How the last scheduled backup of an account went. */
export interface BackupRunRow {
  account_id: number
  what: 'archive' | 'snapshot'
  started_at: Timestamp
  /** Null while it runs. */
  ended_at: Timestamp | null
  /** `interrupted`: the panel ended in the middle of it. */
  outcome: 'running' | 'done' | 'failed' | 'interrupted'
  /** Why it failed; null when it did not. */
  error: string | null
  /** When the last one that went well had begun; null before the first. */
  succeeded_at: Timestamp | null
}

/** Part of the store: schedules of backups and how they are kept to. */
export interface BackupScheduleStore {
  /** Plans' first. */
  listBackupSchedules(): Promise<BackupScheduleRow[]>
  /** Inserts or replaces it. A plan or account that is gone: no effect. */
  putBackupSchedule(row: BackupScheduleRow): Promise<void>
  /** Not there: no error. */
  deleteBackupSchedule(owner: ScheduleOwner): Promise<void>
  /** By account. */
  listBackupRuns(): Promise<BackupRunRow[]>
  /**
   * Notes the beginning of a run; false, without effect, when the account is gone or
   * another run began since `previous` was the last one's beginning (null: there was none).
   */
  beginBackupRun(
    run: Pick<BackupRunRow, 'account_id' | 'what' | 'started_at'>,
    previous: Timestamp | null,
  ): Promise<boolean>
  /** Notes the end of the run that is running; no effect when none is. */
  endBackupRun(
    accountId: number,
    end: { at: Timestamp; outcome: 'done' | 'failed'; error: string | null },
  ): Promise<void>
  /** Runs that the panel left behind when it ended. */
  interruptBackupRuns(at: Timestamp): Promise<void>
}
