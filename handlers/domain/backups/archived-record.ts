import { z } from 'zod'
import { LATER_LIMITS } from '../accounts/plan-limits.ts'
import { EVERY_HOURS } from '../../ports/store/backup-schedule-store.ts'
import { KEY_ACCESSES } from '../../ports/store/sftp/sftp-store.ts'
import { siteSettingsShape } from '../site-settings/settings-schema.ts'

/** Longer than any of these names can be, and short enough to be held many times. */
const name = z.string().max(253)
const text = z.string().max(2048)
const names = z.array(text).max(1000)
const megabytes = z.int().nonnegative()

/** Not in archives of before, nor where nobody chose anything. */
const site = z
  .strictObject({
    ...siteSettingsShape,
    /** Not in archives of before. */
    listing: siteSettingsShape.listing.default('rules'),
    php: siteSettingsShape.php.default({}),
  })
  .exactOptional()

const domain = z.object({
  domain_name: name,
  domain_type: z.enum(['primary', 'addon', 'subdomain', 'alias']),
  document_root: z.string().max(8192),
  redirect_https: z.boolean(),
  hsts: z.boolean(),
  php_version: z.string().max(16).nullable(),
  cache_enabled: z.boolean(),
  cache_ttl: z.int().nonnegative().nullable(),
  cache_exclude: names,
  cache_bypass_cookies: names.nullable(),
  cache_ignore_params: names.nullable(),
  cache_mobile_variant: z.boolean().nullable(),
  cache_harmless_cookies: names,
  cache_session_cookies: names,
  cache_application: z.string().max(64).nullable(),
  cache_fills: z.enum(['auto', 'visitor', 'neutral']),
  site,
  created_at: z.string().max(30),
})

const sshKey = z.object({
  name: z.string().max(100),
  public_key: z.string().max(8000),
  expires_at: z.string().max(30).nullable(),
})

const sftpUser = z.object({
  name: z.string().max(40),
  folder: z.string().max(4095),
  read_only: z.boolean(),
  keys: z.array(sshKey).max(1000),
})

const cronJob = z.object({
  name: z.string().max(100),
  schedule: z.string().max(200),
  time_zone: z.string().max(50),
  kind: z.enum(['command', 'shell', 'url']),
  command: z.string().max(4096),
  enabled: z.boolean(),
  time_limit_secs: z.int(),
  overlap: z.enum(['skip', 'queue', 'kill']),
  notify_after: z.int(),
})

const application = z.object({
  name: z.string().max(32),
  folder: z.string().max(4095),
  source_url: z.string().max(1000).nullable(),
  source_branch: z.string().max(200).nullable(),
  source_push: z.boolean().default(false),
  runtime_kind: z.enum(['node', 'python', 'none']),
  runtime_version: z.string().max(20).nullable(),
  install_command: z.string().max(4096).nullable(),
  build_command: z.string().max(4096).nullable(),
  start_command: z.string().max(4096).nullable(),
  public_folder: z.string().max(300).default(''),
  shared_paths: z.array(z.string().max(301)).max(50).default([]),
  environment: z.record(z.string().max(128), z.string().max(8192)),
  listen: z.enum(['socket', 'port']),
  health_path: z.string().max(1024).nullable(),
  start_limit_secs: z.int(),
  restart: z.enum(['always', 'on-failure', 'never']),
  instances: z.int().default(1),
  memory_mb: z.int().nullable(),
  cpu_percent: z.int().nullable().default(null),
  sleep_after_secs: z.int().nullable(),
  /** Not in archives of before. */
  keys: z
    .array(sshKey.extend({ access: z.enum(KEY_ACCESSES) }))
    .max(1000)
    .default([]),
  domains: z
    .array(z.object({ domain_name: name, paths: z.array(z.string().max(1024)).max(50).nullable() }))
    .max(10_000),
})

const kept = z.int().nonnegative()

const schedule = z.object({
  what: z.enum(['archive', 'snapshot', 'none']),
  every_hours: z.literal([...EVERY_HOURS]),
  window: z.object({ from: z.int(), to: z.int() }).nullable(),
  places: z.array(z.string().max(32)).max(100),
  retention: z.object({ last: kept, hourly: kept, daily: kept, weekly: kept, monthly: kept }),
})

/**
 * The form of what an archive tells of an account: types and sizes alone. Whether a
 * value may be taken over is for the checks of the API to say, since whoever wrote
 * the archive chose it.
 */
export const accountRecordSchema = z.object({
  account: z.object({
    primary_domain: name,
    email: z.string().max(254),
    plan: z.string().max(64),
    disk_quota_mb: megabytes,
    bandwidth_quota_mb: megabytes,
    suspended: z.boolean(),
    suspend_reason: z.string().max(500).nullable(),
    php_version: z.string().max(16).nullable(),
    php_mode: z.enum(['cgi', 'fpm', 'lsapi']),
    created_at: z.string().max(30),
  }),
  plan: z.object({
    name: z.string().max(64),
    disk_quota_mb: megabytes,
    bandwidth_quota_mb: megabytes,
    domains_limit: z.int(),
    databases_limit: z.int(),
    tokens_limit: z.int(),
    backups_limit: z.int(),
    /** Not in archives of before. */
    cron_jobs_limit: z.int().default(LATER_LIMITS.cron_jobs_limit),
    ssh_keys_limit: z.int().default(LATER_LIMITS.ssh_keys_limit),
    database_users_limit: z.int().default(LATER_LIMITS.database_users_limit),
    mails_per_hour_limit: z.int().default(LATER_LIMITS.mails_per_hour_limit),
    people_limit: z.int().default(LATER_LIMITS.people_limit),
    sftp_users_limit: z.int().default(LATER_LIMITS.sftp_users_limit),
    database_addresses_limit: z.int().default(LATER_LIMITS.database_addresses_limit),
    applications_limit: z.int().default(LATER_LIMITS.applications_limit),
    shells_limit: z.int().default(LATER_LIMITS.shells_limit),
    processes_limit: z.int(),
    memory_limit_mb: z.int(),
    memory_total_mb: z.int().default(LATER_LIMITS.memory_total_mb),
    cpu_weight: z.int().default(LATER_LIMITS.cpu_weight),
    cpu_percent: z.int().default(LATER_LIMITS.cpu_percent),
    io_weight: z.int().default(LATER_LIMITS.io_weight),
  }),
  domains: z.array(domain).max(10_000),
  certificates: z
    .array(
      z.object({
        domain: name,
        source: z.enum(['acme', 'uploaded']),
        webroot: z.string().max(8192).nullable(),
        forced: z.boolean(),
        /** Not in archives of before. */
        challenge: z.enum(['http-01', 'dns-01', 'by-hand']).nullable().default(null),
      }),
    )
    .max(10_000),
  /** Not in archives of before. */
  database_addresses: z
    .array(z.object({ address: z.string().max(64), note: z.string().max(100) }))
    .max(1000)
    .default([]),
  /** Not in archives of before. */
  cron: z.array(cronJob).max(10_000).default([]),
  /** Not in archives of before. */
  applications: z.array(application).max(1000).default([]),
  /** Not in archives of before. */
  backup_schedule: schedule.nullable().exactOptional(),
  sftp: z
    .object({
      passwords: z.boolean(),
      /** Not in archives of before. */
      shell: z.boolean().default(false),
      keys: z.array(sshKey).max(1000),
      users: z.array(sftpUser).max(1000).default([]),
    })
    .default({ passwords: true, shell: false, keys: [], users: [] }),
})
