import type { SiteContext } from './site-context.ts'

/**
 * The Host that scripts, applications and rules are told: the requested name, and
 * a port only when it is the listener's own. A client's own spelling (another port,
 * a final dot, capitals) would otherwise decide what ends in shared pages, whose
 * addresses know nothing of it. `host`: the name as it was judged.
 */
export const shownHost = (
  headers: Headers,
  context: Pick<SiteContext, 'secure' | 'serverPort'>,
  host: string,
): string => {
  const port = /:(\d+)$/.exec(headers.get('host') ?? '')?.[1]
  const usual = context.secure ? 443 : 80
  const isShown = Number(port) === context.serverPort && context.serverPort !== usual
  return isShown ? `${host}:${context.serverPort}` : host
}
