import type { RenewalWindow } from '../../ports/host/certificates.ts'
import type { CertificateAge } from '../../domain/certificates/certificate-status.ts'
import { certificateAge } from '../../domain/certificates/certificate-status.ts'
import type { CertificateFiles } from '../../ports/host/certificates.ts'
import type { CertificateRow } from '../../ports/store/records.ts'

/** A certificate as the API returns it. */
export interface CertificateView
  extends
    CertificateAge,
    Pick<
      CertificateRow,
      | 'domain'
      | 'source'
      | 'san'
      | 'subject'
      | 'issuer'
      | 'serial'
      | 'issued_at'
      | 'expires_at'
      | 'challenge'
      | 'last_error'
    > {
  /** Whether nobody but its own key vouches for it: browsers warn of it, however valid it is. */
  self_signed: boolean
  /** When its authority wants it renewed; null: it did not say. */
  renewal_window: RenewalWindow | null
  files: CertificateFiles
}

const windowOf = ({ renewal }: CertificateRow): RenewalWindow | null => {
  if (renewal === null) return null
  const { at: _at, ...window } = renewal
  return window
}

export const certificateView = (row: CertificateRow, nowMs: number): CertificateView => ({
  domain: row.domain,
  source: row.source,
  san: row.san,
  subject: row.subject,
  issuer: row.issuer,
  serial: row.serial,
  issued_at: row.issued_at,
  expires_at: row.expires_at,
  ...certificateAge(row, nowMs),
  self_signed: row.subject === row.issuer,
  files: { certificate: row.certificate_file, key: row.key_file, chain: row.chain_file },
  challenge: row.challenge,
  last_error: row.last_error,
  renewal_window: windowOf(row),
})
