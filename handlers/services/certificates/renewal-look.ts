import { renewsItself } from '../../domain/certificates/certificate-status.ts'
import { planRenewal } from '../../domain/certificates/renewal-window.ts'
import type { CertificateRow } from '../../ports/store/records.ts'
import type { ServiceDeps } from '../service-deps.ts'

/**
 * Asks the authority when a certificate is to be renewed, keeps the time, and answers the row with
 * it. One that cannot be reached is not asked again of the others: what it said before counts.
 */
export const createRenewalLook = ({
  store,
  host,
  log,
}: Pick<ServiceDeps, 'store' | 'host' | 'log'>): ((
  row: CertificateRow,
) => Promise<CertificateRow>) => {
  let isAway = false
  const usernameOf = async ({ account_id }: CertificateRow): Promise<string | null> =>
    account_id === null ? null : ((await store.accountById(account_id))?.username ?? null)
  return async (row) => {
    if (isAway || !renewsItself(row)) return row
    const { domain, version } = row
    try {
      const username = await usernameOf(row)
      const window = await host.certificates.renewalWindow({ username, domain, version })
      const renewal = window === null ? null : planRenewal(window, row.renewal, Math.random())
      await store.setCertificateRenewal(domain, version, renewal)
      return { ...row, renewal }
    } catch (error) {
      isAway = true
      log.warn('the certificate authority was not asked when to renew', {
        domain,
        error: String(error),
      })
      return row
    }
  }
}
