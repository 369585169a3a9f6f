import type { PanelConfig } from '../config/config-types.ts'

/** The name that `[panel] tls` gives to the panel; null: it has none of its own. */
export const panelNameOf = ({
  panel: { tls },
}: {
  panel: Pick<PanelConfig, 'tls'>
}): string | null => (tls === 'off' || tls === 'self-signed' ? null : tls.toLowerCase())
