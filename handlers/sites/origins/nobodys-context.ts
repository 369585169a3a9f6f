import type { SiteContext } from '../site-context.ts'

/**
 * The connection that scripts are told of where a page is filled for everybody: an
 * address for documentation (RFC 5737), since a script may show its visitor more or
 * less by where he comes from.
 */
const NOBODY = { clientAddress: '192.0.2.1', clientPort: 1024 } as const

/** The same request as nobody's: nothing of its response goes to the one client that happens to be there. */
export const nobodysContext = (context: SiteContext): SiteContext => {
  const { earlyHints: _hints, trailers: _trailers, ...rest } = context
  return { ...rest, ...NOBODY }
}
