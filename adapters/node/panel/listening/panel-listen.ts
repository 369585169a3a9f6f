import { z } from 'zod'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import type { PanelListen } from './server.ts'

/** The descriptor on which the command line is answered; null without a supervisor. */
export const cliListen = (inherited: string | undefined): number | null =>
  inherited === undefined
    ? null
    : (entriesSchema.parse(JSON.parse(inherited)).find(({ kind }) => kind === 'cli')?.fd ?? null)

const entriesSchema = z.array(
  z.object({ fd: z.int().min(0), address: z.string(), kind: z.string() }),
)

/**
 * Where to listen: on the descriptors of `BERTH_LISTEN` (see ARCHITECTURE.md),
 * or, started without a supervisor, on the addresses of `[panel] listen`.
 */
export const panelListen = (
  inherited: string | undefined,
  configured: readonly string[],
): PanelListen[] => {
  if (inherited !== undefined) {
    return entriesSchema
      .parse(JSON.parse(inherited))
      .filter(({ kind }) => kind === 'panel')
      .map(({ fd }) => ({ fd }))
  }
  return configured.map((address) => {
    const parsed = parseListenAddress(address)
    if (parsed === null)
      throw new Error(`[panel] listen: "${address}" is not an address with a port.`)
    return { host: parsed.host, port: parsed.port, ipv6Only: parsed.family === 6 }
  })
}
