import { timestamp } from '../../../domain/text/timestamp.ts'
import { AppError, notFound } from '../../../errors.ts'
import { LOCAL } from '../../../ports/host/backups/backups.ts'
import type {
  BackupSchedule,
  BackupScheduleRow,
  ScheduleOwner,
} from '../../../ports/store/backup-schedule-store.ts'
import type { Timestamp } from '../../../ports/store/records.ts'
import type { ListQuery, Page } from '../../../ports/store/store.ts'
import { defaultSchedule } from '../../../domain/backups/effective-schedule.ts'
import { requireAccount } from '../../records/lookup.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { targetNamed } from '../target-named.ts'
import {
  hasFailed,
  isOverdue,
  newestBackups,
  NO_BACKUPS,
  readScheduleRecords,
  standingOf,
  type Standing,
} from './standings.ts'

/** The first line of the backups: what is wrong with them. */
export interface BackupState {
  failed: FailedBackup[]
  overdue: OverdueBackup[]
  /** Accounts of which no backups are made by themselves. */
  unscheduled: number
  running: number
  last_success_at: Timestamp | null
  next_run_at: Timestamp | null
}
export interface FailedBackup {
  account_id: number
  username: string
  /** When the last one began. */
  at: Timestamp
  error: string
  last_success_at: Timestamp | null
}
export interface OverdueBackup {
  account_id: number
  username: string
  newest_at: Timestamp | null
}

/** Schedules of backups: the default of the configuration, plans' and accounts'. */
export interface BackupSchedules {
  /** Of the configuration; where the host does not answer without the default target. */
  preset(): Promise<BackupSchedule>
  plans(): Promise<BackupScheduleRow[]>
  /** 404 for a plan that is not there or has none. */
  ofPlan(plan: string): Promise<BackupScheduleRow>
  /** By the accounts' order. */
  accounts(query: ListQuery): Promise<Page<Standing>>
  /** 404 for an account that is not there. */
  ofAccount(accountId: number): Promise<Standing>
  /** 404; 400 for a place that is not there. */
  set(owner: ScheduleOwner, schedule: BackupSchedule): Promise<void>
  /** 404 where there is none. */
  remove(owner: ScheduleOwner): Promise<void>
  /** Of one account, or of all (null). */
  state(whose: Pick<ListQuery, 'accountId' | 'resellerId'>): Promise<BackupState>
}

const INTERRUPTED = 'The panel ended in the middle of it. It is made again within the window.'

export const createBackupSchedules = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log' | 'backupsConfig'>,
): BackupSchedules => {
  const { store, host, clock, log, backupsConfig = NO_BACKUPS } = deps

  const preset = async (): Promise<BackupSchedule> => {
    try {
      return defaultSchedule(backupsConfig, await targetNamed(host.local.backups, null))
    } catch (error) {
      log.warn('the default backup target is not known', { error: String(error) })
      return defaultSchedule(backupsConfig, null)
    }
  }
  const records = async () => ({ ...(await readScheduleRecords(deps)), preset: await preset() })

  const requireOwner = async (owner: ScheduleOwner): Promise<void> => {
    if ('accountId' in owner) await requireAccount(store, owner.accountId)
    else if ((await store.planByName(owner.plan)) === null)
      throw notFound(`Plan ${owner.plan} not found. List the plans to see their names.`)
  }
  const own = async (owner: ScheduleOwner): Promise<BackupScheduleRow> => {
    await requireOwner(owner)
    const name = JSON.stringify(owner)
    const rows = await store.listBackupSchedules()
    const row = rows.find((one) => JSON.stringify(one.owner) === name)
    if (row === undefined)
      throw notFound(
        'plan' in owner
          ? `Plan ${owner.plan} has no schedule of its own: the default holds.`
          : 'The account has no schedule of its own: its plan’s holds, or the default.',
      )
    return row
  }

  return {
    preset,
    async plans() {
      return (await store.listBackupSchedules()).filter(({ owner }) => 'plan' in owner)
    },
    ofPlan: (plan) => own({ plan }),
    async accounts(query) {
      const { rows, total } = await store.listAccounts(query)
      const known = await records()
      const nowMs = clock.nowMs()
      return { rows: rows.map((account) => standingOf(account, known, nowMs)), total }
    },
    async ofAccount(accountId) {
      const account = await requireAccount(store, accountId)
      return standingOf(account, await records(), clock.nowMs())
    },
    async set(owner, schedule) {
      await requireOwner(owner)
      const targets = schedule.places.filter((place) => place !== LOCAL)
      const known = targets.length === 0 ? [] : await host.local.backups.targets()
      const unknown = targets.find((place) => known.every(({ name }) => name !== place))
      if (unknown !== undefined)
        throw new AppError(400, `places: there is no backup target named "${unknown}".`, {
          field: 'places',
        })
      const updated_at = timestamp(clock.nowMs())
      await store.putBackupSchedule({ owner, schedule, updated_at })
    },
    async remove(owner) {
      await own(owner)
      await store.deleteBackupSchedule(owner)
    },
    async state(whose) {
      const { rows } = await store.listAccounts(whose)
      const known = await readScheduleRecords(deps)
      const newest = await newestBackups(deps)
      const nowMs = clock.nowMs()
      const state: BackupState = {
        failed: [],
        overdue: [],
        unscheduled: 0,
        running: 0,
        last_success_at: null,
        next_run_at: null,
      }
      for (const account of rows) {
        const standing = standingOf(account, known, nowMs)
        const { run, nextMs } = standing
        const { id, username } = account
        const who = { account_id: id, username }
        const newest_at = newest.get(id) ?? null
        if (standing.schedule.what === 'none') state.unscheduled++
        if (run?.outcome === 'running') state.running++
        const last_success_at = run?.succeeded_at ?? null
        if (last_success_at !== null && last_success_at > (state.last_success_at ?? ''))
          state.last_success_at = last_success_at
        const next = nextMs === null ? null : timestamp(Math.max(nextMs, nowMs))
        if (next !== null && next < (state.next_run_at ?? '9')) state.next_run_at = next
        if (run !== null && hasFailed(standing, newest_at)) {
          const error = run.error ?? INTERRUPTED
          state.failed.push({ ...who, at: run.started_at, error, last_success_at })
        }
        if (isOverdue(standing, newest_at, nowMs)) state.overdue.push({ ...who, newest_at })
      }
      return state
    },
  }
}
