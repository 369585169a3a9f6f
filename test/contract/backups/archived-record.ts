import { newDomainOptions } from '#handlers/domain/domains/new-domain-options.ts'
import type { AccountRecord, PanelSecrets } from '#handlers/ports/host/backups/archived-records.ts'

/** Which site answers at names that no site has is the machine's to say, not an archive's. */
const archivedOptions = () => {
  const options: Partial<ReturnType<typeof newDomainOptions>> = newDomainOptions()
  delete options.default_host
  return options as Omit<ReturnType<typeof newDomainOptions>, 'default_host'>
}

/** What a panel tells of an account with one domain, for an archive of it. */
export const newRecord = (username: string): { record: AccountRecord; secrets: PanelSecrets } => ({
  record: {
    account: {
      primary_domain: `${username}.example`,
      email: `${username}@example.com`,
      plan: 'pro',
      disk_quota_mb: 5000,
      bandwidth_quota_mb: 100_000,
      suspended: false,
      suspend_reason: null,
      php_version: null,
      php_mode: 'fpm',
      created_at: '2026-01-01 00:00:00',
    },
    plan: {
      name: 'pro',
      disk_quota_mb: 5000,
      bandwidth_quota_mb: 100_000,
      domains_limit: 25,
      databases_limit: 25,
      tokens_limit: 10,
      backups_limit: 20,
      cron_jobs_limit: 25,
      ssh_keys_limit: 25,
      database_users_limit: 25,
      mails_per_hour_limit: 500,
      people_limit: 25,
      sftp_users_limit: 10,
      database_addresses_limit: 10,
      applications_limit: 4,
      shells_limit: 1,
      processes_limit: 100,
      memory_limit_mb: 2048,
      memory_total_mb: 8192,
      cpu_weight: 100,
      cpu_percent: 0,
      io_weight: 100,
    },
    domains: [
      {
        domain_name: `${username}.example`,
        domain_type: 'primary',
        document_root: 'public_html',
        ...archivedOptions(),
        created_at: '2026-01-01 00:00:00',
      },
    ],
    certificates: [],
    cron: [],
    applications: [],
    database_addresses: [],
    backup_schedule: {
      what: 'archive',
      every_hours: 12,
      window: null,
      places: ['local'],
      retention: { last: 2, hourly: 0, daily: 5, weekly: 0, monthly: 0 },
    },
    sftp: { passwords: true, shell: true, keys: [], users: [] },
  },
  secrets: { password_hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA', second_factor: null },
})
