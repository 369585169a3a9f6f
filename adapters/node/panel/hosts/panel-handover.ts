import { readFileSync } from 'node:fs'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { sharedSettings } from '#handlers/domain/recovery/shared-settings.ts'
import type { Handover } from '#handlers/ports/handover.ts'
import { fingerprintOf } from '../../link-trust/fingerprint-of.ts'
import { productVersion } from '../../process/product-version.ts'
import { readStorePassword } from '../../store/postgres/connection-of.ts'
import type { PanelCertificate } from '../listening/panel-certificate.ts'

/** What this panel hands to one that joins; its files are read at that moment. */
export const createHandover = (
  config: ServerConfig,
  certificate: PanelCertificate | null,
  sessionKey: string,
): Handover => {
  const { store, store_password_file: passwordFile, store_ca_file: caFile } = config.panel
  const version = productVersion()
  let shown = certificate?.pair.cert ?? null
  certificate?.follow(({ cert }) => (shown = cert))
  return {
    version,
    fingerprint: () => (shown === null ? null : fingerprintOf(shown)),
    bundle: () => ({
      version,
      store: store ?? '',
      store_password: passwordFile === null ? null : readStorePassword(passwordFile),
      store_ca: caFile === null ? null : readFileSync(caFile, 'utf8'),
      session_key: sessionKey,
      settings: sharedSettings(config),
    }),
  }
}
