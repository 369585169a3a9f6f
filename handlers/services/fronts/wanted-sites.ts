import type { FrontSite } from '../../ports/host/web/front-sites.ts'
import { aliasesOf, cacheRuleOf, foldAliases } from '../virtual-hosts/virtual-hosts.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** A site that fronts are to have, and whose it is. */
export interface WantedSite {
  site: FrontSite
  username: string
  hostId: number
}

/** Accounts that are being deleted have no sites at fronts any more. */
const SERVED: readonly string[] = ['creating', 'active', 'suspended']

/**
 * What fronts are to have by the records, by primary name. Sites of a host that no origin is known of
 * are not among them.
 */
export const wantedSites = async (
  { store }: Pick<ServiceDeps, 'store'>,
  origins: ReadonlyMap<number, FrontSite['origin']>,
): Promise<Map<string, WantedSite>> => {
  const [accounts, domains, listed] = await Promise.all([
    store.listAccounts(),
    store.listDomains(),
    store.listCertificates(),
  ])
  const certificates = new Map(listed.rows.map(({ domain, version }) => [domain, version]))
  const taken = new Set(domains.rows.map(({ domain_name: name }) => name))
  const served = new Map(
    accounts.rows.filter(({ status }) => SERVED.includes(status)).map((row) => [row.id, row]),
  )
  const wanted = new Map<string, WantedSite>()
  for (const one of foldAliases(domains.rows)) {
    const { domain } = one
    const account = served.get(domain.account_id)
    const origin = account === undefined ? undefined : origins.get(account.host_id)
    if (account === undefined || origin === undefined) continue
    const certificate = certificates.get(domain.domain_name) ?? null
    wanted.set(domain.domain_name, {
      username: account.username,
      hostId: account.host_id,
      site: {
        domain: domain.domain_name,
        aliases: aliasesOf(one, taken),
        suspended: account.status === 'suspended',
        overBandwidth: account.bandwidth_state === 'exceeded',
        certificate,
        redirectHttps: certificate !== null && domain.redirect_https,
        ...(domain.default_host ? { defaultHost: true as const } : {}),
        cache: cacheRuleOf(domain),
        origin,
      },
    })
  }
  return wanted
}
