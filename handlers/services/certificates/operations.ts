import type { CertificateRow, OperationRow } from '../../ports/store/records.ts'
import { isGone } from '../journal/attempts.ts'
import type { CertifiedSite } from './certified-site.ts'
import { findCertifiedSite, sslStatesOf } from './certified-site.ts'
import type { Journal, OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

export const CERTIFICATE_INSTALL = 'certificate.install'
export const CERTIFICATE_REMOVE = 'certificate.remove'
/** Removes what a new certificate has taken the place of. */
export const CERTIFICATE_PRUNE = 'certificate.prune'

type Deps = Pick<ServiceDeps, 'store' | 'host'> & { vhosts: VirtualHosts; journal: Journal }

/** What settling needs; paths, never a key. */
interface Data {
  domain: string
  username: string | null
  previous: CertificateRow | null
  redirect_https: boolean
}

/**
 * Subject of operations on a certificate. Not the account: an order may take
 * minutes, and a suspension must not wait for it. Only the exchange itself is
 * done in the account's turn.
 */
export const certificateSubject = (domain: string): string => `certificate:${domain}`

export const certificateData = (
  site: CertifiedSite,
  previous: CertificateRow | null,
): Record<string, unknown> & Data => ({
  domain: site.domain,
  username: site.account?.username ?? null,
  previous,
  redirect_https: site.rows.find((row) => row.domain_name === site.domain)?.redirect_https ?? false,
})

const dataOf = (operation: OperationRow): Data => operation.data as unknown as Data

/** Runs in the turn of the certificate's account. */
export const inTurnOf = <T>(
  journal: Journal,
  username: string | null,
  work: () => Promise<T>,
): Promise<T> => (username === null ? work() : journal.exclusively(username, work))

/** Makes `row` (null: none) the certificate of the site: records first, then the virtual host. */
export const exchangeCertificate = async (
  { store, host, vhosts }: Pick<Deps, 'store' | 'host' | 'vhosts'>,
  site: CertifiedSite,
  row: CertificateRow | null,
  redirectHttps: boolean | undefined,
): Promise<void> => {
  const states = sslStatesOf(site.rows, row)
  if (row === null) await store.deleteCertificate(site.domain, states)
  else await store.putCertificate(row, states)
  const own = site.rows.find((one) => one.domain_name === site.domain)
  if (redirectHttps !== undefined && own !== undefined)
    await store.updateDomain(own.id, { redirect_https: redirectHttps })
  if (site.account === null) return
  await host
    .of(site.account.host_id)
    .webServer.apply(await vhosts.around(site.account, site.domain))
}

/** The site as it is now, or null when it is gone since. */
const siteOf = async (deps: Deps, domain: string): Promise<CertifiedSite | null> => {
  try {
    const site = await findCertifiedSite(deps, domain)
    return site.domain === domain ? site : null
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

const rollBack = (deps: Deps, operation: OperationRow): Step => ({
  name: 'put-back',
  async run() {
    const { domain, username, previous, redirect_https } = dataOf(operation)
    await inTurnOf(deps.journal, username, async () => {
      const site = await siteOf(deps, domain)
      const current = await deps.store.certificateByDomain(domain)
      if (site === null || (site.account?.username ?? null) !== username) return
      // Perhaps the record was rolled back before a crash, and the site still shows the new one.
      const version = current?.version ?? null
      const begun = operation.steps.includes('files') && version === (previous?.version ?? null)
      if (version !== operation.id && !begun) return
      await exchangeCertificate(deps, site, previous, redirect_https)
    })
  },
})

const pruneTo = ({ store, host }: Deps, operation: OperationRow): Step => ({
  name: 'files',
  async run() {
    const { domain, username } = dataOf(operation)
    const current = await store.certificateByDomain(domain)
    try {
      await host.certificates.prune({ username, domain, keep: current?.version ?? null })
    } catch (error) {
      if (!isGone(error)) throw error
    }
  },
})

const takeOff = (deps: Deps, operation: OperationRow): Step => ({
  name: 'take-off',
  async run() {
    const { domain, username } = dataOf(operation)
    await inTurnOf(deps.journal, username, async () => {
      const site = await siteOf(deps, domain)
      if (site !== null) await exchangeCertificate(deps, site, null, false)
    })
  },
})

/** How operations on certificates are settled. */
export const certificateOperationKinds = (deps: Deps): OperationKind[] => [
  {
    kind: CERTIFICATE_INSTALL,
    settle: 'undo',
    steps: (operation) => [rollBack(deps, operation), pruneTo(deps, operation)],
  },
  {
    kind: CERTIFICATE_PRUNE,
    settle: 'finish',
    steps: (operation) => [pruneTo(deps, operation)],
  },
  {
    kind: CERTIFICATE_REMOVE,
    settle: 'finish',
    steps: (operation) => [takeOff(deps, operation), pruneTo(deps, operation)],
  },
]
