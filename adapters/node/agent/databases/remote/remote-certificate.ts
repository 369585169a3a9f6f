import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { RemoteCertificate } from '#handlers/ports/host/databases/database-remote.ts'
import type { Log } from '#handlers/ports/log.ts'
import { panelCertificateName, panelTlsFile } from '../../../layout/panel-tls-file.ts'
import { createSelfSigned } from '../../../tls/self-signed.ts'
import { requirePair } from './server-certificate.ts'
import type { ServerPair } from './server-certificate.ts'

/** Made once: what clients were told to trust must stay. */
const ownPair = (file: string, name: string): ServerPair => {
  if (!existsSync(file)) {
    const { cert, key } = createSelfSigned(name)
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(`${file}.new`, cert + key, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  const text = readFileSync(file, 'utf8')
  return { ...splitPem(text), own: true }
}

const blocks = (text: string, kind: RegExp): string =>
  (text.match(/-----BEGIN [A-Z ]+-----[A-Za-z0-9+/=\s]+-----END [A-Z ]+-----/g) ?? [])
    .filter((block) => kind.test(block))
    .map((block) => `${block}\n`)
    .join('')

/** Certificates and the key of one text. */
const splitPem = (text: string): { cert: string; key: string } => ({
  cert: blocks(text, /^-----BEGIN CERTIFICATE-----/),
  key: blocks(text, /^-----BEGIN (RSA |EC )?PRIVATE KEY-----/),
})

/**
 * The certificate that database servers show to other machines: that of the panel's name where
 * there is one, else one of Berth's own, whose fingerprint is shown.
 */
export const remotePair = (
  config: Pick<ServerConfig, 'panel' | 'paths' | 'ssh'>,
  log: Log,
): (() => ServerPair) => {
  const { panel, paths, ssh } = config
  const own = path.join(paths.state_dir, 'databases', 'tls', 'own.pem')
  const obtained = panelCertificateName(panel) === null ? null : panelTlsFile(paths)
  return () => {
    try {
      const { tls_certificate: cert, tls_certificate_key: key } = panel
      if (cert !== null && key !== null) {
        const pair = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
        requirePair(pair)
        return { ...pair, own: false }
      }
      if (obtained !== null && existsSync(obtained)) {
        const pair = splitPem(readFileSync(obtained, 'utf8'))
        requirePair(pair)
        return { ...pair, own: false }
      }
    } catch (error) {
      log.warn("the panel's certificate cannot serve databases", { error: String(error) })
    }
    return ownPair(own, ssh.host ?? (panel.tls.includes('.') ? panel.tls : hostname()))
  }
}

/** What clients are told of a certificate. */
export const describeCertificate = ({ cert, own }: ServerPair): RemoteCertificate => {
  const leaf = new X509Certificate(cert)
  const names = (leaf.subjectAltName ?? '')
    .split(', ')
    .flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []))
  return {
    names,
    fingerprint: leaf.fingerprint256,
    until: timestamp(Date.parse(leaf.validTo)),
    own,
    pem: cert,
  }
}
