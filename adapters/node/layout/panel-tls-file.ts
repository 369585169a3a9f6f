import { join } from 'node:path'
import type { PanelConfig, PathsConfig } from '#handlers/domain/config/config-types.ts'

/** Where the agent puts the certificate and key of the panel's name, in one file. */
export const panelTlsFile = (paths: Pick<PathsConfig, 'secrets_dir'>): string =>
  join(paths.secrets_dir, 'panel-tls.pem')

/** Name that a certificate is obtained for; null without TLS, self-signed, or with files of one's own. */
export const panelCertificateName = ({
  tls,
  tls_certificate,
}: Pick<PanelConfig, 'tls' | 'tls_certificate'>): string | null =>
  tls === 'off' || tls === 'self-signed' || tls_certificate !== null ? null : tls
