import type {
  AccountRecord,
  ArchivedDomain,
} from '#handlers/ports/host/backups/archived-records.ts'
import type {
  ForeignAccount,
  ForeignDomain,
} from '#handlers/domain/foreign-archives/foreign-account.ts'
import { newDomainOptions } from '#handlers/domain/domains/new-domain-options.ts'
import { wwwAlias } from '#handlers/domain/domains/domain-name.ts'

/** Whether a name lies below one of `own`; each of its labels is looked at once. */
const isBelow = (name: string, own: ReadonlySet<string>): boolean => {
  for (let at = name.indexOf('.'); at !== -1; at = name.indexOf('.', at + 1))
    if (own.has(name.slice(at + 1))) return true
  return false
}

/**
 * The panel's record of an account as another panel's archive tells it. What the other
 * panel has no word for is as for a new account; plan and quotas are left to whoever
 * imports it (`plan` '' and 0). Names are as in the archive: whether they may be is for
 * the checks of an import to say.
 */
export const toAccountRecord = (account: ForeignAccount, nowText: string): AccountRecord => {
  const main = account.domains.find(({ name }) => name === account.primaryDomain)
  const accountPhp = account.phpVersion ?? main?.phpVersion ?? null
  const one = (
    domain: ForeignDomain,
    name: string,
    type: ArchivedDomain['domain_type'],
  ): ArchivedDomain => ({
    ...newDomainOptions(),
    domain_name: name,
    domain_type: type,
    document_root: domain.root,
    redirect_https: domain.redirectHttps,
    hsts: domain.hsts,
    php_version: domain.phpVersion === accountPhp ? null : domain.phpVersion,
    created_at: nowText,
  })
  const own = new Set(account.domains.map(({ name }) => name))
  const typeOf = (name: string): ArchivedDomain['domain_type'] =>
    name === account.primaryDomain ? 'primary' : isBelow(name, own) ? 'subdomain' : 'addon'
  // The www name of each domain is there by itself.
  const known = new Set([...own, ...[...own].map(wwwAlias)])
  const domains = account.domains.flatMap((domain) => [
    one(domain, domain.name, typeOf(domain.name)),
    ...domain.aliases
      .filter((alias) => !known.has(alias) && known.add(alias))
      .map((alias) => one(domain, alias, 'alias')),
  ])
  return {
    account: {
      primary_domain: account.primaryDomain,
      email: account.email ?? '',
      plan: '',
      disk_quota_mb: 0,
      bandwidth_quota_mb: 0,
      suspended: account.suspended,
      suspend_reason: account.suspended ? `Suspended at ${account.panel}.` : null,
      php_version: accountPhp,
      php_mode: 'fpm',
      created_at: nowText,
    },
    plan: {
      name: '',
      disk_quota_mb: 0,
      bandwidth_quota_mb: 0,
      domains_limit: 0,
      databases_limit: 0,
      tokens_limit: 0,
      backups_limit: 0,
      cron_jobs_limit: 0,
      ssh_keys_limit: 0,
      database_users_limit: 0,
      mails_per_hour_limit: 0,
      people_limit: 0,
      sftp_users_limit: 0,
      database_addresses_limit: 0,
      applications_limit: 0,
      shells_limit: 0,
      processes_limit: 0,
      memory_limit_mb: 0,
      memory_total_mb: 0,
      cpu_weight: 0,
      cpu_percent: 0,
      io_weight: 0,
    },
    domains,
    cron: [],
    applications: [],
    database_addresses: [],
    sftp: { passwords: true, shell: false, keys: [], users: [] },
    certificates: account.domains
      .filter(({ certificate }) => certificate !== null)
      .map(({ name }) => ({
        domain: name,
        source: 'uploaded',
        webroot: null,
        forced: false,
        challenge: null,
      })),
  }
}
