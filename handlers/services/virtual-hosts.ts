import { wwwAlias } from '../domain/domain-name.ts'
import type { AccountRow, DomainRow } from '../ports/records.ts'
import type { PhpVersion } from '../ports/php.ts'
import type { VirtualHostSpec } from '../ports/web-server.ts'
import type { ServiceDeps } from './service-deps.ts'

/** Virtual hosts as they follow from the records. */
export interface VirtualHosts {
  /** Specs of all domains of an account. */
  ofAccount(account: AccountRow): Promise<VirtualHostSpec[]>
  /**
   * Specs of one domain and of the one whose automatic alias it takes, so that
   * the state of an account's other sites cannot get in the way. With `gone` as
   * if the domain were not there any more.
   */
  around(
    account: AccountRow,
    name: string,
    options?: { gone?: boolean },
  ): Promise<VirtualHostSpec[]>
  /** Specs of every domain of every account that is not being created or deleted. */
  all(): Promise<VirtualHostSpec[]>
}

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

/** Names beside its own that a domain answers to: `www.` unless that is a domain by itself. */
const aliasesOf = (domain: DomainRow, taken: ReadonlySet<string>): string[] => {
  if (domain.domain_type !== 'primary' && domain.domain_type !== 'addon') return []
  const alias = wwwAlias(domain.domain_name)
  return alias === null || taken.has(alias) ? [] : [alias]
}

const specOf = (
  account: AccountRow,
  domain: DomainRow,
  taken: ReadonlySet<string>,
  versions: readonly PhpVersion[],
): VirtualHostSpec => ({
  domain: domain.domain_name,
  aliases: aliasesOf(domain, taken),
  username: account.username,
  root: domain.document_root,
  suspended: account.status === 'suspended',
  php: effectivePhp(
    domain.php_version === null ? account : { ...account, php_version: domain.php_version },
    versions,
  ),
  ssl: null,
  redirectHttps: false,
  cache: {
    enable: domain.cache_enabled,
    ttl: domain.cache_ttl,
    exclude: domain.cache_exclude,
  },
})

export const createVirtualHosts = (deps: Pick<ServiceDeps, 'store' | 'host'>): VirtualHosts => {
  const specs = async (
    account: AccountRow,
    keep: (domain: DomainRow) => boolean,
  ): Promise<VirtualHostSpec[]> => {
    const [{ rows }, versions] = await Promise.all([
      deps.store.listDomains({ accountId: account.id }),
      deps.host.php.versions(),
    ])
    const domains = rows.filter(keep)
    // Names above and below a domain belong to one account only, so nobody else can hold the alias.
    const taken = new Set(domains.map((row) => row.domain_name))
    return domains.map((domain) => specOf(account, domain, taken, versions))
  }
  return {
    ofAccount: (account) => specs(account, () => true),
    async around(account, name, { gone = false } = {}) {
      const present = await specs(account, (row) => !gone || row.domain_name !== name)
      return present.filter(({ domain }) => domain === name || wwwAlias(domain) === name)
    },
    async all() {
      const [accounts, domains, versions] = await Promise.all([
        deps.store.listAccounts(),
        deps.store.listDomains(),
        deps.host.php.versions(),
      ])
      const taken = new Set(domains.rows.map((row) => row.domain_name))
      const served = new Map(
        accounts.rows
          .filter((account) => account.status === 'active' || account.status === 'suspended')
          .map((account) => [account.id, account]),
      )
      return domains.rows.flatMap((domain) => {
        const account = served.get(domain.account_id)
        return account === undefined ? [] : [specOf(account, domain, taken, versions)]
      })
    },
  }
}
