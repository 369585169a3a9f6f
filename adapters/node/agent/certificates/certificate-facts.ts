import type { X509Certificate } from 'node:crypto'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { InstalledCertificate } from '#handlers/ports/host/certificates.ts'

export type CertificateFacts = Omit<InstalledCertificate, 'version' | 'files'>

/** `CN=a, O=b` of Node's lines, most specific first. */
const nameOf = (lines: string): string => lines.trim().split('\n').reverse().join(', ')

/** DNS names of subjectAltName; Node writes `DNS:a, DNS:b`, quoting what could be mistaken. */
const dnsNamesOf = (certificate: X509Certificate): string[] =>
  [...(certificate.subjectAltName ?? '').matchAll(/(?:^|, )DNS:([^",\s]+)/g)].map(
    ([, name]) => name?.toLowerCase() ?? '',
  )

/** What is shown of a certificate. */
export const certificateFacts = (certificate: X509Certificate): CertificateFacts => ({
  san: dnsNamesOf(certificate),
  // Authorities leave the subject empty nowadays; the names are in the SAN.
  subject: nameOf(certificate.subject ?? ''),
  issuer: nameOf(certificate.issuer),
  serial: certificate.serialNumber.toUpperCase(),
  issued_at: timestamp(Date.parse(certificate.validFrom)),
  expires_at: timestamp(Date.parse(certificate.validTo)),
})
