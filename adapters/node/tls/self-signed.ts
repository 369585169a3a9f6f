import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** ASN.1 DER, as far as a certificate needs it (X.690). */
const der = (tag: number, ...parts: (Buffer | number[])[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const oid = (...bytes: number[]): Buffer => der(0x06, bytes)
const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text, 'utf8'))
/** GeneralizedTime, which holds dates of any year. */
const time = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`, 'latin1'))

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const DAY_MS = 86_400_000

/**
 * A self-signed certificate (P-256) for connections whose name has no
 * certificate here: the handshake succeeds, the browser warns. PEM texts.
 */
export const createSelfSigned = (commonName: string): { key: string; cert: string } => {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const name = sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), utf8(commonName))))
  const now = Date.now()
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  // subjectAltName with one DNS name, and a subject key identifier.
  const altName = der(0x04, sequence(der(0x82, Buffer.from(commonName, 'latin1'))))
  const keyId = der(0x04, der(0x04, createHash('sha1').update(pair.publicKey).digest()))
  const extensions = der(
    0xa3,
    sequence(sequence(oid(0x55, 0x1d, 0x11), altName), sequence(oid(0x55, 0x1d, 0x0e), keyId)),
  )
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, serial),
    ECDSA_SHA256,
    name,
    sequence(time(new Date(now - DAY_MS)), time(new Date(now + 3650 * DAY_MS))),
    name,
    pair.publicKey,
    extensions,
  )
  const signature = sign('sha256', body, createPrivateKey(pair.privateKey))
  const certificate = sequence(body, ECDSA_SHA256, der(0x03, [0], signature))
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  const cert = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  return { key: pair.privateKey, cert }
}
