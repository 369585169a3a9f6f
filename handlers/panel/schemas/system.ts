import { z } from 'zod'
import { count } from './common.ts'

const percent = () => z.number().min(0)
const loadAverage = () =>
  z.tuple([z.number(), z.number(), z.number()]).describe('Of 1, 5 and 15 minutes.')
const limited = () =>
  z.object({ count: count(), limit: z.int().min(-1).describe('-1 is unlimited.') })
const used = () => z.object({ total_mb: count(), used_mb: count() })

/** Facts of the machine. */
export const systemInfoSchema = z
  .object({
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
  })
  .meta({ id: 'SystemInfo' })

/** Numbers of the dashboard. */
export const systemStatsSchema = z
  .object({
    accounts: limited(),
    domains: limited(),
    cpu: z.object({ count: count(), usage_percent: percent() }),
    memory: used(),
    disk: used(),
    license: z.object({
      tier: z.string(),
      valid: z.boolean(),
      problem: z.string().nullable().describe('Why a licence file is not honoured.'),
    }),
    uptime_secs: count(),
    load_average: loadAverage(),
  })
  .meta({ id: 'SystemStats' })

/** State of the managed web server. */
export const webServerStatusSchema = z
  .object({
    installed: z.boolean(),
    running: z.boolean(),
    version: z.string(),
    pid: z.int().nullable(),
    uptime_secs: count().nullable(),
    workers: count(),
    virtual_hosts: count(),
  })
  .meta({ id: 'WebServerStatus' })
