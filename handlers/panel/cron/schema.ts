import { z } from 'zod'
import { argumentsOf } from '../../services/cron/run-job.ts'
import type { CronJobRow, CronRunRow, ListedCronJob } from '../../ports/store/cron-store.ts'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

export const CRON_KINDS = ['command', 'shell', 'url'] as const
export const CRON_OVERLAPS = ['skip', 'queue', 'kill'] as const
/** Outcomes of runs, those without an end first. */
export const CRON_OUTCOMES = [
  'queued',
  'running',
  'ok',
  'failed',
  'timeout',
  'killed',
  'skipped',
  'lost',
] as const

const outcome = () =>
  z
    .enum(CRON_OUTCOMES)
    .describe(
      'timeout: it took longer than it may. killed: it was ended. skipped: the run before had not ended. lost: the machine ended before it did.',
    )

/** A cron job of an account. */
export const cronJobSchema = named('CronJob', {
  id: recordId(),
  account_id: recordId(),
  name: z.string(),
  schedule: z.string(),
  time_zone: z.string(),
  kind: z.enum(CRON_KINDS),
  command: z
    .union([z.string(), z.array(z.string())])
    .describe('Of kind command a list: the program and its arguments.'),
  enabled: z.boolean(),
  time_limit_secs: count(),
  overlap: z.enum(CRON_OVERLAPS),
  notify_after: count(),
  failures: count().describe('In a row, until now.'),
  next_at: timestamp().nullable().describe('Null while it is off.'),
  created_at: timestamp(),
  updated_at: timestamp(),
})

/** The same in a list. */
export const listedCronJobSchema = named('ListedCronJob', {
  ...cronJobSchema.shape,
  username: z.string(),
  last_outcome: outcome().nullable(),
  last_started_at: timestamp().nullable(),
})

/** One run of a job. */
export const cronRunSchema = named('CronRun', {
  id: z.string(),
  due_at: timestamp().describe('The minute that it ran for.'),
  by_hand: z.boolean(),
  started_at: timestamp().nullable(),
  ended_at: timestamp().nullable(),
  outcome: outcome(),
  code: z.int().nullable().describe('Exit code, or of a URL the status of its answer.'),
  output: z.string().describe('What it wrote, at most 64 kB: the beginning and the end.'),
})

/** What a schedule means. */
export const cronPreviewSchema = named('CronPreview', {
  schedule: z.string(),
  time_zone: z.string(),
  next_runs: z.array(timestamp()).describe('At most five.'),
})

/** A job as the API shows it. */
export const cronJobView = (row: CronJobRow): z.infer<typeof cronJobSchema> => ({
  ...row,
  command: row.kind === 'command' ? argumentsOf(row.command) : row.command,
})

/** The same in a list. */
export const listedCronJobView = (row: ListedCronJob): z.infer<typeof listedCronJobSchema> => {
  const { username, last_outcome, last_started_at, ...job } = row
  return { ...cronJobView(job), username, last_outcome, last_started_at }
}

/** A run as the API shows it. */
export const cronRunView = ({ job_id: _, ...run }: CronRunRow): z.infer<typeof cronRunSchema> => run
