import { isUsual } from '../../domain/site-settings/usual-settings.ts'
import { wwwAlias } from '../../domain/domains/domain-name.ts'
import type { Report } from '../../ports/jobs.ts'
import type { AccountRow, CertificateRow, DomainRow } from '../../ports/store/records.ts'
import type { PhpVersion } from '../../ports/host/php.ts'
import type { SiteSettings } from '../../ports/host/site-settings.ts'
import type {
  PhpPool,
  SiteApplication,
  SiteCacheRule,
  VirtualHostSpec,
} from '../../ports/host/web-server.ts'
import { foldAliases } from './fold-aliases.ts'
import type { Site } from './fold-aliases.ts'
import type { ServiceDeps } from '../service-deps.ts'

export { foldAliases, siteOfRoot, type Site } from './fold-aliases.ts'

/** What the web server's `apply` takes. */
export interface VirtualHostChange {
  put: VirtualHostSpec[]
  /** Names that are aliases of a host in `put`, and must not be hosts of their own beside it. */
  remove: string[]
}

/** Virtual hosts as they follow from the records. */
export interface VirtualHosts {
  /** All hosts of an account. */
  ofAccount(account: AccountRow): Promise<VirtualHostChange>
  /**
   * The host of one domain and those whose aliases change with it, so that the
   * state of an account's other sites cannot get in the way. With `gone` as if
   * the domain were not there any more.
   */
  around(
    account: AccountRow,
    name: string,
    options?: { gone?: boolean },
  ): Promise<VirtualHostChange>
  /** Hosts of every account that is not being created or deleted. */
  all(hostId: number): Promise<VirtualHostSpec[]>
}

/** Writes every virtual host anew from the records, then reloads. Answers how many files changed. */
export type Regenerate = (report?: Report) => Promise<{ written: number; removed: number }>

/** The PHP that an account runs: its own choice, else the default of the host; null without any PHP. */
export const effectivePhp = (
  account: Pick<AccountRow, 'php_version' | 'php_mode'>,
  versions: readonly PhpVersion[],
): VirtualHostSpec['php'] => {
  const fallback = versions.find((version) => version.default) ?? versions[0]
  const chosen = versions.find((version) => version.version === account.php_version) ?? fallback
  if (chosen === undefined) return null
  const mode = chosen.sapis.includes(account.php_mode)
    ? account.php_mode
    : chosen.sapis.find((sapi) => sapi !== 'lsapi')
  return mode === undefined ? null : { version: chosen.version, mode }
}

/** What a site's PHP runs with, where its owner chose something: processes of its own. */
const poolOf = ({ memory_limit, ...ini }: SiteSettings['php']): { pool?: PhpPool } =>
  memory_limit === undefined && Object.keys(ini).length === 0
    ? {}
    : { pool: { maxChildren: null, memoryLimit: memory_limit ?? null, ini } }

/** Names beside its own that a site answers to: its aliases, and `www.` unless that is a domain by itself. */
export const aliasesOf = ({ domain, aliases }: Site, taken: ReadonlySet<string>): string[] => {
  const names = aliases.map((alias) => alias.domain_name)
  if (domain.domain_type !== 'primary' && domain.domain_type !== 'addon') return names
  const www = wwwAlias(domain.domain_name)
  return www === null || taken.has(www) ? names : [www, ...names]
}

/** Half a year, the least that is taken for serious. */
const HSTS_SECS = 180 * 86_400

/** By the name of the site. */
type Certificates = ReadonlyMap<string, CertificateRow>
const byDomain = (rows: readonly CertificateRow[]): Certificates =>
  new Map(rows.map((row) => [row.domain, row]))

/** The rules of a site's page cache; what its owner left alone is absent. */
export const cacheRuleOf = (domain: DomainRow): SiteCacheRule => ({
  enable: domain.cache_enabled,
  ttl: domain.cache_ttl,
  exclude: domain.cache_exclude,
  ...(domain.cache_bypass_cookies && { bypassCookies: domain.cache_bypass_cookies }),
  ...(domain.cache_ignore_params && { ignoreQueryParams: domain.cache_ignore_params }),
  ...(domain.cache_mobile_variant !== null && { mobileVariant: domain.cache_mobile_variant }),
  ...(domain.cache_fills !== 'auto' && { fills: domain.cache_fills }),
  ...(domain.cache_harmless_cookies.length > 0 && {
    harmlessCookies: domain.cache_harmless_cookies,
  }),
  ...(domain.cache_session_cookies.length > 0 && { sessionCookies: domain.cache_session_cookies }),
  ...(domain.cache_application !== null && { application: domain.cache_application }),
})

/** What answers in place of a domain's own files. */
interface Answering {
  account_id: number
  name: string
  /** Of a site; null: its program does. */
  root: string | null
  instances: number
  healthPath: string | null
}

/** The web server asks no path that begins as a host does. */
const isAsked = (path: string | null): path is string => path !== null && !path.startsWith('//')

const siteApplication = (
  { name, instances, healthPath }: Omit<Answering, 'account_id'>,
  paths: string[] | null,
): SiteApplication => ({
  ...{ name, paths },
  ...(instances > 1 && { instances, ...(isAsked(healthPath) && { healthPath }) }),
})

/** Those of the applications that a site's backends name of which several listen. */
const instancesOf = (
  own: SiteSettings | undefined,
  applications: ReadonlyMap<number, Answering>,
  accountId: number,
): Pick<VirtualHostSpec, 'instances'> => {
  const named = new Set(own?.backends.map(({ application }) => application))
  const several = [...applications.values()].filter(
    ({ account_id, name, instances }) =>
      account_id === accountId && instances > 1 && named.has(name),
  )
  if (several.length === 0) return {}
  return {
    instances: Object.fromEntries(
      several.map(({ name, instances, healthPath }) => [
        name,
        { instances, ...(isAsked(healthPath) && { healthPath }) },
      ]),
    ),
  }
}

const specOf = (
  account: AccountRow,
  site: Site,
  taken: ReadonlySet<string>,
  versions: readonly PhpVersion[],
  certificates: Certificates,
  settings: ReadonlyMap<number, SiteSettings>,
  applications: ReadonlyMap<number, Answering>,
): VirtualHostSpec => {
  const { domain } = site
  const own = settings.get(domain.id)
  const php = effectivePhp(
    domain.php_version === null ? account : { ...account, php_version: domain.php_version },
    versions,
  )
  const certificate = certificates.get(domain.domain_name)
  const application = applications.get(domain.application_id ?? 0)
  return {
    domain: domain.domain_name,
    aliases: aliasesOf(site, taken),
    username: account.username,
    root: application?.root ?? domain.document_root,
    suspended: account.status === 'suspended',
    overBandwidth: account.bandwidth_state === 'exceeded',
    php: php && { ...php, ...poolOf(own?.php ?? {}) },
    ssl: certificate
      ? { certificate: certificate.certificate_file, key: certificate.key_file }
      : null,
    redirectHttps: certificate !== undefined && domain.redirect_https,
    ...(certificate !== undefined && domain.hsts ? { hstsMaxAgeSecs: HSTS_SECS } : {}),
    ...(domain.default_host ? { defaultHost: true as const } : {}),
    cache: cacheRuleOf(domain),
    ...(application?.root === null
      ? { application: siteApplication(application, domain.application_paths) }
      : {}),
    ...instancesOf(own, applications, account.id),
    ...(own === undefined || isUsual(own) ? {} : { site: php ? own : { ...own, php: {} } }),
  }
}

const namesOf = ({ domain, aliases }: VirtualHostSpec): string[] => [domain, ...aliases]

const changeOf = (put: VirtualHostSpec[], rows: readonly DomainRow[]): VirtualHostChange => {
  const known = new Set(rows.map((row) => row.domain_name))
  const remove = put.flatMap(({ aliases }) => aliases.filter((alias) => known.has(alias)))
  return { put, remove }
}

export const createVirtualHosts = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'homeBase'>,
): VirtualHosts => {
  /** Their names, and of sites the folder that is served; a site that never went live leads nowhere yet. */
  const applicationsOf = async (query?: { accountId: number }) =>
    new Map(
      (await deps.store.listApplications(query)).rows.flatMap((row) => {
        const { id, name, username, site_root: root } = row
        if (root === null && row.start_command === null && row.live_revision === null) return []
        const { instances, health_path: healthPath } = row
        const served = root === null ? null : `${deps.homeBase}/${username}/${root}`
        return [
          [id, { account_id: row.account_id, name, root: served, instances, healthPath }],
        ] as const
      }),
    )
  const load = async (account: AccountRow) => {
    const [{ rows }, versions, listed, settings, applications] = await Promise.all([
      deps.store.listDomains({ accountId: account.id }),
      deps.host.of(account.host_id).php.versions(),
      deps.store.listCertificates({ accountId: account.id }),
      deps.store.listSiteSettings({ accountId: account.id }),
      applicationsOf({ accountId: account.id }),
    ])
    const certificates = byDomain(listed.rows)
    const specs = (domains: readonly DomainRow[]): VirtualHostSpec[] => {
      // Names above and below a domain belong to one account only, so nobody else can hold `www.`.
      const taken = new Set(domains.map((row) => row.domain_name))
      return foldAliases(domains).map((site) =>
        specOf(account, site, taken, versions, certificates, settings, applications),
      )
    }
    return { rows, specs }
  }
  return {
    async ofAccount(account) {
      const { rows, specs } = await load(account)
      return changeOf(specs(rows), rows)
    },
    async around(account, name, { gone = false } = {}) {
      const { rows, specs } = await load(account)
      const whole = specs(rows)
      const left = gone ? rows.filter((row) => row.domain_name !== name) : rows
      // Whatever answers to the name, or to a name of its host, now or afterwards.
      const names = new Set([name, ...(whole.find(({ domain }) => domain === name)?.aliases ?? [])])
      const touched = (spec: VirtualHostSpec): boolean =>
        namesOf(spec).some((one) => names.has(one))
      const hosts = new Set(whole.filter(touched).map(({ domain }) => domain))
      const put = (gone ? specs(left) : whole).filter(
        (spec) => hosts.has(spec.domain) || touched(spec) || wwwAlias(spec.domain) === name,
      )
      return changeOf(put, left)
    },
    async all(hostId) {
      const [copies, accounts, domains, versions, listed, settings, applications] =
        await Promise.all([
          deps.store.listAccountCopies(),
          deps.store.listAccounts(),
          deps.store.listDomains(),
          deps.host.of(hostId).php.versions(),
          deps.store.listCertificates(),
          deps.store.listSiteSettings(),
          applicationsOf(),
        ])
      const certificates = byDomain(listed.rows)
      const taken = new Set(domains.rows.map((row) => row.domain_name))
      const served = new Map(
        accounts.rows
          .filter(({ host_id }) => host_id === hostId)
          .filter((account) => account.status === 'active' || account.status === 'suspended')
          .map((account) => [account.id, account]),
      )
      // Accounts that were here lead to where they are now.
      const leads = copies
        .filter(({ host_id, username }) => {
          const account = accounts.rows.find((one) => one.username === username)
          return host_id === hostId && account !== undefined && account.host_id !== hostId
        })
        .flatMap((copy) => copy.leads)
      const own = foldAliases(domains.rows).flatMap((site) => {
        const account = served.get(site.domain.account_id)
        return account === undefined
          ? []
          : [specOf(account, site, taken, versions, certificates, settings, applications)]
      })
      return [...own, ...leads]
    },
  }
}
