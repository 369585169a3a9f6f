import * as x509 from '@peculiar/x509'
import { toHex } from '#handlers/domain/text/hex.ts'
import { linkName } from './link-name.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000
const VALID_DAYS = 730
const SERIAL_BYTES = 16

/** A key pair's private part and its certificate, both PEM. */
export interface LinkCertificate {
  key: string
  certificate: string
}

/**
 * A fresh ECDSA P-256 key with a certificate that it signs itself: a leaf (CA:FALSE) for one use,
 * `server` for hosts and `client` for panels, so that neither passes for the other. Two years from
 * yesterday on.
 */
export const createLinkCertificate = async (
  id: string,
  use: 'server' | 'client',
  nowMs: number = Date.now(),
): Promise<LinkCertificate> => {
  const keys = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])
  const serial = crypto.getRandomValues(new Uint8Array(SERIAL_BYTES))
  // Positive, and never shorter than it is written.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const purpose =
    use === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: toHex(serial),
      // Told apart by it: of two that are accepted under one name OpenSSL would look at the first alone.
      name: [{ CN: [linkName(id)] }, { OU: [toHex(serial)] }],
      notBefore: new Date(nowMs - DAY_MS),
      notAfter: new Date(nowMs + (VALID_DAYS - 1) * DAY_MS),
      signingAlgorithm: ECDSA,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([purpose], true),
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: linkName(id) }]),
      ],
    },
    crypto,
  )
  const key = x509.PemConverter.encode(
    await crypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  )
  return { key: `${key}\n`, certificate: `${certificate.toString('pem')}\n` }
}
