import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  unwatchFile,
  watchFile,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { createSelfSigned } from '../../tls/self-signed.ts'
import { panelCertificateName, panelTlsFile } from '../../layout/panel-tls-file.ts'

/** PEM texts. */
interface PanelPair {
  cert: string
  key: string
}

/** What the panel's listener shows. */
export interface PanelCertificate {
  pair: PanelPair
  /** Calls `take` with another pair when its files change; answers how to stop. */
  follow(take: (pair: PanelPair) => void): () => void
}

const CHECK_MS = 5000

/** Throws when certificate and key do not fit. */
const checked = (pair: PanelPair): PanelPair => {
  createSecureContext(pair)
  return pair
}

/** Made once: a browser that was told to trust it must not be asked at every start. */
const selfSigned = (file: string, name: string): PanelPair => {
  if (!existsSync(file)) {
    const { cert, key } = createSelfSigned(name)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.new`, cert + key, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  const text = readFileSync(file, 'utf8')
  return checked({ cert: text, key: text })
}

/**
 * The certificate of `[panel] tls`: files of one's own, else the one that was
 * obtained for the panel's name, else a self-signed one. Null without TLS.
 * Throws with a text for people when files of one's own cannot be used.
 */
export const openPanelCertificate = (
  config: Pick<ServerConfig, 'panel' | 'paths'>,
  log: Log,
): PanelCertificate | null => {
  const { tls, tls_certificate: ownCertificate, tls_certificate_key: ownKey } = config.panel
  if (tls === 'off') return null
  const name = tls === 'self-signed' ? hostname() : tls
  const fallback = join(config.paths.state_dir, 'panel', `self-signed-${name}.pem`)
  const obtained = panelCertificateName(config.panel) === null ? null : panelTlsFile(config.paths)
  const own = ownCertificate !== null && ownKey !== null ? [ownCertificate, ownKey] : null
  const files = own ?? (obtained === null ? [] : [obtained])

  const load = (): PanelPair => {
    const [certificate, key] = files
    if (certificate === undefined || (own === null && !existsSync(certificate)))
      return selfSigned(fallback, name)
    const cert = readFileSync(certificate, 'utf8')
    return checked({ cert, key: key === undefined ? cert : readFileSync(key, 'utf8') })
  }
  let pair: PanelPair
  try {
    pair = load()
  } catch (error) {
    const named = own === null ? files.join('') : '[panel] tls_certificate and tls_certificate_key'
    throw new Error(
      `${named} cannot be used: ${error instanceof Error ? error.message : String(error)}. The panel's user must be able to read both, and they must belong together.`,
      { cause: error },
    )
  }
  return {
    pair,
    follow(take) {
      const changed = (): void => {
        try {
          take(load())
          log.info('the panel shows another certificate')
        } catch (error) {
          // Perhaps only one of two files is there yet.
          log.warn('the certificate of the panel was not changed', { error: String(error) })
        }
      }
      for (const file of files) watchFile(file, { interval: CHECK_MS, persistent: false }, changed)
      return () => files.forEach((file) => unwatchFile(file, changed))
    },
  }
}
