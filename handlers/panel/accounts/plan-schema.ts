import { z } from 'zod'
import { count, named, timestamp } from '../frame/common-schemas.ts'

/** A plan. */
export const planSchema = named('Plan', {
  name: z.string(),
  built_in: z.boolean().describe('free, pro and business, which cannot be deleted.'),
  disk_quota_mb: count(),
  bandwidth_quota_mb: count(),
  domains_limit: count().describe('Of every type, the primary domain among them.'),
  databases_limit: count(),
  database_users_limit: count(),
  tokens_limit: count(),
  backups_limit: count().describe('Copies on this host that the schedule did not make.'),
  cron_jobs_limit: count(),
  ssh_keys_limit: count(),
  mails_per_hour_limit: count(),
  people_limit: count(),
  sftp_users_limit: count(),
  database_addresses_limit: count(),
  applications_limit: count(),
  shells_limit: count().describe('1: its accounts may be given a shell; 0: none may.'),
  processes_limit: count().describe("Processes and threads of the account's programs."),
  memory_limit_mb: count().describe('Of one process.'),
  memory_total_mb: count().describe(
    'Megabytes of all processes together; 0: no limit. Where it is reached, the kernel ends one of them.',
  ),
  cpu_weight: count().describe(
    'Part of the processor where it is short: an account of 200 gets twice what one of 100 gets.',
  ),
  cpu_percent: count().describe('Of one processor, also where others idle; 0: no limit.'),
  io_weight: count().describe("Part of the disk's time where it is short, as `cpu_weight`."),
  accounts: count().describe('How many accounts have it.'),
  created_at: timestamp(),
  updated_at: timestamp(),
})

const share = () => z.object({ used: count(), limit: count() })

/** What a plan allows an account, and what it has of it. */
export const accountLimitsSchema = named('AccountLimits', {
  plan: z.string(),
  plan_disk_quota_mb: count().describe("The plan's; the account may have its own."),
  plan_bandwidth_quota_mb: count(),
  domains: share(),
  databases: share(),
  database_users: share(),
  tokens: share(),
  backups: share().describe('Copies on this host that the schedule did not make.'),
  cron_jobs: share(),
  ssh_keys: share(),
  people: share().describe('Open invitations among them.'),
  sftp_users: share(),
  database_addresses: share(),
  applications: share(),
  shells: share().describe('One or none.'),
  processes_limit: count(),
  memory_limit_mb: count(),
  memory_total_mb: count().describe('0: no limit.'),
  cpu_weight: count(),
  cpu_percent: count().describe('Of one processor; 0: no limit.'),
  io_weight: count(),
})
