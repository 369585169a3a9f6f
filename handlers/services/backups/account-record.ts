import type {
  AccountRecord,
  ArchivedDomain,
  PanelSecrets,
} from '../../ports/host/backups/archived-records.ts'
import type { CronSettings } from '../../ports/store/cron-store.ts'
import type { SiteSettings } from '../../ports/host/site-settings.ts'
import type { AccountRow, DomainRow } from '../../ports/store/records.ts'
import type { Store } from '../../ports/store/store.ts'
import { applicationSettings } from '../applications/applications.ts'
import { planOf } from '../records/lookup.ts'

const belowHome = (path: string, home: string): string =>
  path.startsWith(`${home}/`) ? path.slice(home.length + 1) : ''

/** A domain as an archive tells it. */
export const archivedDomain = (
  row: DomainRow,
  home: string,
  settings: SiteSettings | undefined,
): ArchivedDomain => ({
  domain_name: row.domain_name,
  domain_type: row.domain_type,
  document_root: belowHome(row.document_root, home),
  redirect_https: row.redirect_https,
  hsts: row.hsts,
  php_version: row.php_version,
  cache_enabled: row.cache_enabled,
  cache_ttl: row.cache_ttl,
  cache_exclude: row.cache_exclude,
  cache_bypass_cookies: row.cache_bypass_cookies,
  cache_ignore_params: row.cache_ignore_params,
  cache_mobile_variant: row.cache_mobile_variant,
  cache_harmless_cookies: row.cache_harmless_cookies,
  cache_session_cookies: row.cache_session_cookies,
  cache_application: row.cache_application,
  cache_fills: row.cache_fills,
  ...(settings === undefined ? {} : { site: settings }),
  created_at: row.created_at,
})

/** What an owner says of a job, without what became of it. */
export const cronSettings = (row: CronSettings): CronSettings => ({
  name: row.name,
  schedule: row.schedule,
  time_zone: row.time_zone,
  kind: row.kind,
  command: row.command,
  enabled: row.enabled,
  time_limit_secs: row.time_limit_secs,
  overlap: row.overlap,
  notify_after: row.notify_after,
})

/** What the panel knows of an account, so that an archive alone can bring it back. */
export const accountRecord = async (
  store: Store,
  account: AccountRow & { home: string },
): Promise<{ record: AccountRecord; secrets: PanelSecrets }> => {
  const { id: accountId, home } = account
  const { created_at: _made, updated_at: _changed, ...plan } = await planOf(store, account)
  const domains = (await store.listDomains({ accountId })).rows
  const settings = await store.listSiteSettings({ accountId })
  const certificates = (await store.listCertificates({ accountId })).rows
  const jobs = (await store.listCronJobs({ accountId })).rows
  const applications = (await store.listApplications({ accountId })).rows
  const addresses = await store.listDatabaseAddresses(accountId)
  const schedules = await store.listBackupSchedules()
  const own = schedules.find(({ owner }) => 'accountId' in owner && owner.accountId === accountId)
  const keys = (await store.listSshKeys({ accountId })).rows
  const users = (await store.listSftpUsers({ accountId })).rows
  const keysOf = (user: number | null) =>
    keys
      .filter((key) => key.sftp_user_id === user && key.application_id === null)
      .map(({ name, public_key, expires_at }) => ({ name, public_key, expires_at }))
  const factor = await store.secondFactor({ role: 'account', id: accountId })
  return {
    record: {
      account: {
        primary_domain: account.primary_domain,
        email: account.email,
        plan: account.plan,
        disk_quota_mb: account.disk_quota_mb,
        bandwidth_quota_mb: account.bandwidth_quota_mb,
        suspended: account.status === 'suspended',
        suspend_reason: account.suspend_reason,
        php_version: account.php_version,
        php_mode: account.php_mode,
        created_at: account.created_at,
      },
      plan,
      domains: domains.map((row) => archivedDomain(row, home, settings.get(row.id))),
      certificates: certificates.map(({ domain, source, webroot, forced, challenge }) => ({
        domain,
        source,
        webroot: webroot === null ? null : belowHome(webroot, home),
        forced,
        challenge,
      })),
      cron: jobs.map(cronSettings),
      applications: applications.map((row) => ({
        name: row.name,
        ...applicationSettings(row),
        keys: keys
          .filter(({ application_id }) => application_id === row.id)
          .map(({ name, public_key, expires_at, access }) => ({
            ...{ name, public_key, expires_at },
            access: access ?? 'read',
          })),
        domains: domains
          .filter(({ application_id }) => application_id === row.id)
          .map(({ domain_name, application_paths }) => ({
            domain_name,
            paths: application_paths,
          })),
      })),
      database_addresses: addresses.map(({ address, note }) => ({ address, note })),
      backup_schedule: own?.schedule ?? null,
      sftp: {
        passwords: await store.sftpPasswords(accountId),
        shell: await store.sftpShell(accountId),
        keys: keysOf(null),
        users: users.map(({ id, name, folder, read_only }) => ({
          ...{ name: name.slice(account.username.length + 1), folder, read_only },
          keys: keysOf(id),
        })),
      },
    },
    secrets: {
      password_hash: account.password_hash,
      second_factor: factor?.confirmed === true ? factor.secret : null,
    },
  }
}
