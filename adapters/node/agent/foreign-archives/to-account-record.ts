import type { AccountRecord, ArchivedDomain } from '#handlers/ports/host/archived-records.ts'
import type {
  ForeignAccount,
  ForeignDomain,
} from '#handlers/domain/foreign-archives/foreign-account.ts'
import { wwwAlias } from '#handlers/domain/domains/domain-name.ts'

const SETTINGS = {
  cache_enabled: true,
  cache_ttl: null,
  cache_exclude: [],
  cache_bypass_cookies: null,
  cache_ignore_params: null,
  cache_mobile_variant: null,
  cache_harmless_cookies: [],
  cache_session_cookies: [],
  cache_application: null,
  cache_fills: 'auto',
} as const

const typeOf = (name: string, account: ForeignAccount): ArchivedDomain['domain_type'] => {
  if (name === account.primaryDomain) return 'primary'
  const isBelow = account.domains.some((other) => name.endsWith(`.${other.name}`))
  return isBelow ? 'subdomain' : 'addon'
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
    ...SETTINGS,
    cache_exclude: [],
    cache_harmless_cookies: [],
    cache_session_cookies: [],
    domain_name: name,
    domain_type: type,
    document_root: domain.root,
    redirect_https: domain.redirectHttps,
    hsts: domain.hsts,
    php_version: domain.phpVersion === accountPhp ? null : domain.phpVersion,
    created_at: nowText,
  })
  const own = new Set(account.domains.map(({ name }) => name))
  const aliases = new Set<string>()
  const domains = account.domains.flatMap((domain) => [
    one(domain, domain.name, typeOf(domain.name, account)),
    ...domain.aliases
      // The www name of each domain is there by itself.
      .filter((alias) => !own.has(alias) && ![...own].some((name) => wwwAlias(name) === alias))
      .filter((alias) => !aliases.has(alias) && aliases.add(alias))
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
      processes_limit: 0,
      memory_limit_mb: 0,
    },
    domains,
    certificates: account.domains
      .filter(({ certificate }) => certificate !== null)
      .map(({ name }) => ({ domain: name, source: 'uploaded', webroot: null, forced: false })),
  }
}
