import { z } from 'zod'
import type { RecoveryState } from '../../services/host/system.ts'
import { count, named, timestamp } from '../frame/common-schemas.ts'
import { workerStallSchema } from './worker-stall-schema.ts'

const percent = () => z.number().min(0)
const loadAverage = () =>
  z.tuple([z.number(), z.number(), z.number()]).describe('Of 1, 5 and 15 minutes.')
const limited = () =>
  z.object({ count: count(), limit: z.int().min(-1).describe('-1 is unlimited.') })
const used = () => z.object({ total_mb: count(), used_mb: count() })

/** Facts of the machine. */
export const systemInfoSchema = named('SystemInfo', {
  hostname: z.string(),
  os: z.string(),
  kernel: z.string(),
  arch: z.string(),
  cpu_model: z.string(),
  cpu_count: count(),
  cpu_usage_percent: percent(),
  memory_total_mb: count(),
  memory_used_mb: count(),
  disk_total_mb: count(),
  disk_used_mb: count(),
  uptime_secs: count(),
  process_count: count(),
  load_average: loadAverage(),
  account_limits: z
    .object({
      kind: z.enum(['systemd slices', 'cgroup v2', 'cgroup v1']).nullable(),
      holds: z.array(z.enum(['cpu', 'memory', 'tasks', 'io'])),
      reason: z.string().nullable().describe('Why accounts are not held; null: they are.'),
    })
    .describe('How accounts are held to what their plans give all their programs together.'),
})

/** Numbers of the dashboard. */
export const systemStatsSchema = named('SystemStats', {
  accounts: limited(),
  domains: limited(),
  databases: z.object({ count: count().describe('Of all accounts.') }),
  cpu: z.object({ count: count(), usage_percent: percent() }),
  memory: used(),
  disk: used().extend({
    used_week_ago_mb: count()
      .nullable()
      .describe('What was used a week ago; null while nobody measured it then.'),
  }),
  license: z.object({
    tier: z.string(),
    valid: z.boolean(),
    problem: z.string().nullable().describe('Why a licence file is not honoured.'),
  }),
  uptime_secs: count(),
  load_average: loadAverage(),
})

const series = (what: string) =>
  z.array(z.number().nullable()).describe(`${what}; null: not measured.`)

/** Course of the host's figures. */
export const hostHistorySchema = named('HostHistory', {
  range: z.enum(['15m', '1h', '24h', '7d']),
  step_secs: count().describe('Seconds from one time to the next.'),
  from: count().describe('Begin of the range, unix seconds.'),
  to: count().describe('Last time of the range, unix seconds.'),
  times: z.array(count()).describe('Unix seconds. Every list of `series` has as many values.'),
  series: z.object({
    cpu_percent: series('Busy time of all processors'),
    memory_percent: series('Used memory'),
    memory_used_bytes: series('Used memory'),
    load_1: series('Load average of 1 minute'),
    load_5: series('Load average of 5 minutes'),
    load_15: series('Load average of 15 minutes'),
    requests_per_sec: series('Requests to all sites per second'),
    cache_hit_percent: series('Share of cacheable requests that the page cache answered'),
  }),
})

/** State of the managed web server. */
export const webServerStatusSchema = named('WebServerStatus', {
  installed: z.boolean(),
  running: z.boolean(),
  version: z.string(),
  pid: z.int().nullable(),
  uptime_secs: count().nullable(),
  workers: count(),
  virtual_hosts: count(),
  stalls: z
    .array(workerStallSchema)
    .readonly()
    .describe('Times within the last day that a worker did nothing for two seconds or longer.'),
})

/** What stands between the panel and coming back, or between having come back and working as before. */
export const recoverySchema = named('RecoveryState', {
  live: z
    .boolean()
    .describe(
      'False: this machine was brought back, and until "berth panel live" certificates are not renewed, no backup is made or removed by the schedule, and the cron tables of accounts wait.',
    ),
  kit_made_at: timestamp().nullable().describe('Of the recovery kit; null: there is none.'),
  kit_verified_at: timestamp().nullable().describe('Null: nobody has proved that it is kept.'),
  exported_at: timestamp().nullable().describe('Of the newest export; null: none was made here.'),
  accounts_waiting: count().describe('Accounts of an import whose contents are not back yet.'),
  hooks_waiting: count().describe('Programs of hooks that wait to be confirmed.'),
  hosts_waiting: count().describe('Virtual hosts by hand that wait to be confirmed.'),
})

export const recoveryView = (facts: RecoveryState): z.output<typeof recoverySchema> => ({
  live: !facts.held,
  kit_made_at: facts.kitMadeAt,
  kit_verified_at: facts.kitVerifiedAt,
  exported_at: facts.exportedAt,
  accounts_waiting: facts.accountsWaiting,
  hooks_waiting: facts.hooksWaiting,
  hosts_waiting: facts.hostsWaiting,
})
