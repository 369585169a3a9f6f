import type { PanelConfig } from '#handlers/domain/config/config-types.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'

/** Where people open the panel, by the name that it has a certificate for; null: it has none. */
export const panelUrl = ({ tls, listen }: Pick<PanelConfig, 'tls' | 'listen'>): string | null => {
  if (!tls.includes('.')) return null
  const port = parseListenAddress(listen[0] ?? '')?.port
  if (port === undefined) return null
  return port === 443 ? `https://${tls}` : `https://${tls}:${port}`
}
