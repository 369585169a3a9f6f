import type { InstalledCertificate } from '../../ports/host/certificates.ts'
import { conflict } from '../../errors.ts'
import type { CertificateRow } from '../../ports/store/records.ts'
import {
  CERTIFICATE_INSTALL,
  CERTIFICATE_PRUNE,
  certificateData,
  certificateSubject,
  exchangeCertificate,
  inTurnOf,
} from './operations.ts'
import type { CertifiedSite } from './certified-site.ts'
import { findCertifiedSite } from './certified-site.ts'
import type { Following } from './following.ts'
import { beginStep } from './following.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log'> & { journal: Journal; vhosts: VirtualHosts }

/** Where a certificate comes from. */
export type Origin = Pick<CertificateRow, 'source' | 'webroot' | 'forced' | 'challenge'>

const rowOf = (
  { domain, account }: CertifiedSite,
  made: InstalledCertificate,
  origin: Origin,
): CertificateRow => ({
  domain,
  account_id: account?.id ?? null,
  ...origin,
  version: made.version,
  san: made.san,
  subject: made.subject,
  issuer: made.issuer,
  serial: made.serial,
  issued_at: made.issued_at,
  expires_at: made.expires_at,
  certificate_file: made.files.certificate,
  key_file: made.files.key,
  chain_file: made.files.chain,
  last_error: null,
  renewal: null,
})

/**
 * Brings files (`obtain`), then exchanges the site's certificate; whatever
 * fails, the site keeps what it had. To be run in the certificate's turn.
 */
export const bringCertificate = async <Made extends InstalledCertificate>(
  deps: Deps,
  site: CertifiedSite,
  origin: Origin,
  redirectHttps: boolean | undefined,
  obtain: (operationId: string) => Promise<Made>,
  following: Following,
): Promise<{ row: CertificateRow; made: Made }> => {
  const { store, log, journal } = deps
  const { domain } = site
  const username = site.account?.username ?? null
  const previous = await store.certificateByDomain(domain)
  const data = certificateData(site, previous)
  const operation = journal.newOperation(
    CERTIFICATE_INSTALL,
    certificateSubject(domain),
    data,
    following.report,
  )
  await store.openOperation(operation)
  const pruning = journal.newOperation(CERTIFICATE_PRUNE, certificateSubject(domain), data)
  let result: { row: CertificateRow; made: Made } | undefined
  await journal.create(operation, [
    {
      name: 'files',
      async run() {
        const made = await obtain(operation.id)
        result = { made, row: rowOf(site, made, origin) }
      },
    },
    {
      name: 'activate',
      async run() {
        beginStep(following, 'activate', domain, 90)
        const row = result?.row
        if (row === undefined) throw new Error('a step was left out')
        await inTurnOf(journal, username, async () => {
          const now = await findCertifiedSite(deps, domain)
          // Deleted and made anew, perhaps for somebody else, while the order ran.
          if (now.domain !== domain || (now.account?.id ?? null) !== row.account_id)
            throw conflict(`${domain} was changed while its certificate was being obtained.`)
          await exchangeCertificate(deps, now, row, redirectHttps)
        })
        // Before this is done, so that no crash leaves the old key behind unnoticed.
        if (previous !== null) await store.openOperation(pruning)
      },
    },
  ])
  if (result === undefined) throw new Error('a step was left out')
  // The new certificate is served; what the old one left is tried again until it is gone.
  if (previous !== null)
    await journal
      .finish(pruning)
      .catch((error: unknown) =>
        log.warn('old certificate not removed yet', { domain, error: String(error) }),
      )
  return result
}
