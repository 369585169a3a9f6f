import { z } from 'zod'
import { timestamp as timestampOf } from '../../domain/text/timestamp.ts'
import { EVERY_HOURS } from '../../ports/store/backup-schedule-store.ts'
import type { BackupScheduleRow } from '../../ports/store/backup-schedule-store.ts'
import type { Standing } from '../../services/backups/schedules/standings.ts'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

const hour = () => z.int().min(0).max(23)

/** When backups are made by themselves. */
export const scheduleSchema = named('BackupSchedule', {
  what: z
    .enum(['archive', 'snapshot', 'none'])
    .describe('none: no backups are made by themselves.'),
  every_hours: z
    .union(EVERY_HOURS.map((hours) => z.literal(hours)))
    .describe('168: once a week, on a day that the panel gives the account.'),
  window: z
    .object({ from: hour(), to: hour() })
    .nullable()
    .describe('Hours of the day, UTC, between which a backup may begin; null: any time.'),
  places: z.array(z.string()).describe('"local", names of remote targets.'),
  retention: z
    .object({ last: count(), hourly: count(), daily: count(), weekly: count(), monthly: count() })
    .describe(
      'Of scheduled backups, in each place: the newest so many, and of so many hours, days, weeks and months the newest. What any rule keeps stays.',
    ),
})

/** The schedule of a plan. */
export const planScheduleSchema = named('PlanBackupSchedule', {
  plan: z.string(),
  schedule: scheduleSchema,
  updated_at: timestamp(),
})

/** The default and those of plans. */
export const schedulesSchema = z.object({
  default: scheduleSchema.describe(
    '[backups] of berth.toml: schedule and retention_days. It removes what is older, whoever made it.',
  ),
  plans: z.array(planScheduleSchema),
})

/** How an account stands with its schedule. */
export const accountScheduleSchema = named('AccountBackupSchedule', {
  account_id: recordId(),
  username: z.string(),
  plan: z.string(),
  source: z.enum(['account', 'plan', 'default']).describe('Whose schedule holds for the account.'),
  schedule: scheduleSchema,
  next_run_at: timestamp().nullable().describe('Null: none is made. In the past: it is due.'),
  last_run: z
    .object({
      what: z.enum(['archive', 'snapshot']),
      started_at: timestamp(),
      ended_at: timestamp().nullable(),
      outcome: z.enum(['running', 'done', 'failed', 'interrupted']),
      error: z.string().nullable(),
    })
    .nullable(),
  last_success_at: timestamp().nullable(),
})

const who = { account_id: recordId(), username: z.string() }

/** What is wrong with the backups. */
export const backupStateSchema = named('BackupState', {
  failed: z
    .array(
      z.object({
        ...who,
        at: timestamp().describe('When it began.'),
        error: z.string(),
        last_success_at: timestamp().nullable(),
      }),
    )
    .describe('Accounts whose last scheduled backup failed, and of which none was made since.'),
  overdue: z
    .array(z.object({ ...who, newest_at: timestamp().nullable() }))
    .describe('Accounts whose newest backup is too old for their schedule.'),
  unscheduled: count().describe('Accounts of which no backups are made by themselves.'),
  running: count(),
  last_success_at: timestamp().nullable(),
  next_run_at: timestamp().nullable(),
})

export const planScheduleView = ({
  owner,
  schedule,
  updated_at,
}: BackupScheduleRow): z.output<typeof planScheduleSchema> => ({
  plan: 'plan' in owner ? owner.plan : '',
  schedule,
  updated_at,
})

export const accountScheduleView = ({
  account,
  source,
  schedule,
  run,
  nextMs,
}: Standing): z.output<typeof accountScheduleSchema> => ({
  account_id: account.id,
  username: account.username,
  plan: account.plan,
  source,
  schedule,
  next_run_at: nextMs === null ? null : timestampOf(nextMs),
  last_run: run && {
    what: run.what,
    started_at: run.started_at,
    ended_at: run.ended_at,
    outcome: run.outcome,
    error: run.error,
  },
  last_success_at: run?.succeeded_at ?? null,
})
