import { parseSiteName } from '../../domain/domains/site-name.ts'
import { wildcardBase } from '../../domain/domains/wildcard-name.ts'
import { invalid, notFound } from '../../errors.ts'
import type { AccountRow, CertificateRow, DomainRow } from '../../ports/store/records.ts'
import type { DomainSslState } from '../../ports/store/store.ts'
import { requireSettledAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** What one certificate is for. */
export interface CertifiedSite {
  /** Name of the site, also when one of its aliases was asked for. */
  domain: string
  /** Null: the panel's own name. */
  account: (AccountRow & { home: string }) | null
  /** The site's domain and those that are aliases of it. */
  rows: DomainRow[]
  /** All names that the site answers to, `domain` first. */
  names: string[]
}

type Deps = Pick<ServiceDeps, 'store' | 'host'> & { vhosts: VirtualHosts }

/** What is said of a wildcard for which a certificate is wanted. */
export const NOT_BY_HTTP =
  'domain must not be a wildcard that is no name of a site here. Add it as a domain first; its certificate then needs a DNS challenge.'

/** A name of a site as a certificate may be there for it; throws 400 naming `domain`. */
export const parseCertifiedName = (input: string): string => parseSiteName(input, 'domain')

/** The record of a name; `www.` is one of its domain where it has none of its own. */
const recordOf = async ({ store }: Pick<Deps, 'store'>, name: string): Promise<DomainRow | null> =>
  (await store.domainByName(name)) ??
  (name.startsWith('www.') ? await store.domainByName(name.slice('www.'.length)) : null)

/** Id of the account whose site has this name, null for the panel's own name; throws 404. */
export const ownerOfName = async (deps: Deps, input: string): Promise<number | null> => {
  const name = parseCertifiedName(input)
  const row = await recordOf(deps, name)
  if (row !== null) return row.account_id
  if ((await deps.host.local.certificates.panelName()) === name) return null
  if (wildcardBase(name) !== null) throw invalid('domain', NOT_BY_HTTP)
  throw notFound(`Domain ${name} is not hosted here. Add it first.`)
}

/** The site that a name belongs to. 400 for no name, 404 unknown, 409 while its account is being made or deleted. */
export const findCertifiedSite = async (deps: Deps, input: string): Promise<CertifiedSite> => {
  const name = parseCertifiedName(input)
  const accountId = await ownerOfName(deps, name)
  if (accountId === null) return { domain: name, account: null, rows: [], names: [name] }
  const account = await requireSettledAccount(deps.store, accountId)
  const { put } = await deps.vhosts.ofAccount(account)
  const site = put.find((host) => host.domain === name || host.aliases.includes(name))
  if (site === undefined) throw notFound(`Domain ${name} is not hosted here. Add it first.`)
  const names = [site.domain, ...site.aliases]
  const { rows } = await deps.store.listDomains({ accountId })
  return {
    domain: site.domain,
    account,
    rows: rows.filter((row) => names.includes(row.domain_name)),
    names,
  }
}

/** What the site's domains show of `certificate`; null: there is none. */
export const sslStatesOf = (
  rows: readonly DomainRow[],
  certificate: Pick<CertificateRow, 'san' | 'expires_at'> | null,
): DomainSslState[] =>
  rows.map(({ id, domain_name }) =>
    certificate?.san.includes(domain_name) === true
      ? { id, ssl_status: 'active', ssl_expires_at: certificate.expires_at }
      : { id, ssl_status: 'none', ssl_expires_at: null },
  )
