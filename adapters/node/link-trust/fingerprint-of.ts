import { X509Certificate } from 'node:crypto'

/** SHA-256 of a certificate (PEM), hex. */
export const fingerprintOf = (certificate: string): string =>
  new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase()
