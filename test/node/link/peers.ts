import * as x509 from '@peculiar/x509'
import { connect } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { linkName } from '#adapters/shared/host-rpc/link/link-name.ts'
import type { LinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** A certificate for clients that another one, itself a leaf, signed. */
export const signedBy = async (signer: LinkCertificate, id: string): Promise<LinkCertificate> => {
  const keys = await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(signer.key),
    ECDSA,
    false,
    ['sign'],
  )
  const issuer = new x509.X509Certificate(signer.certificate)
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: '4711',
      subject: [{ CN: [linkName(id)] }],
      issuer: issuer.subject,
      notBefore: new Date(Date.now() - 1000),
      notAfter: new Date(Date.now() + 3_600_000),
      signingAlgorithm: ECDSA,
      publicKey: keys.publicKey,
      signingKey,
      extensions: [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth], true),
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: linkName(id) }]),
      ],
    },
    crypto,
  )
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
    certificate: `${certificate.toString('pem')}\n${signer.certificate}`,
  }
}

/** Connects, sends `text` and answers what came until the end. */
export const converse = (
  options: ConnectionOptions,
  text: string,
  use: (socket: TLSSocket) => void = () => undefined,
): Promise<{ answer: string }> =>
  new Promise((resolve) => {
    let answer = ''
    const socket = connect(
      { host: '127.0.0.1', rejectUnauthorized: false, minVersion: 'TLSv1.2', ...options },
      () => {
        socket.write(text)
        use(socket)
      },
    )
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ answer }))
  })
