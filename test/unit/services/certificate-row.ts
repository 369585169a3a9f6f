import type { CertificateRow } from '#handlers/ports/store/records.ts'

/** The record of a certificate of the first account. */
export const fakeCertificateRow = (
  domain: string,
  change: Partial<CertificateRow> = {},
): CertificateRow => ({
  domain,
  account_id: 1,
  source: 'acme',
  version: 'v1',
  san: [domain],
  subject: `CN=${domain}`,
  issuer: 'CN=authority',
  serial: 'ff',
  issued_at: '2026-11-01 00:00:00',
  expires_at: '2027-02-01 00:00:00',
  certificate_file: '/c',
  key_file: '/k',
  chain_file: '/h',
  webroot: null,
  forced: false,
  challenge: null,
  last_error: null,
  renewal: null,
  ...change,
})
