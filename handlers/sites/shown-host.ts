import type { SiteContext } from './site-context.ts'

/** Port that a scheme's addresses leave out. */
const usualPort = (secure: boolean): number => (secure ? 443 : 80)

/**
 * What the ports of a request are to the application, as a part of its page's address:
 * empty at the usual port of the scheme, else the listener's own port, after a colon
 * where `shownHost` names it. `asked`: the port that the client named; null: none.
 */
export const portInKey = (
  asked: number | null,
  { secure, serverPort }: Pick<SiteContext, 'secure' | 'serverPort'>,
): string => {
  if (serverPort === usualPort(secure)) return ''
  return asked === serverPort ? `:${serverPort}` : String(serverPort)
}

/** An edition of the site's rules, with `portInKey`. */
export const editionAtPort = (edition: string, port: string): string =>
  port === '' ? edition : `${edition}|${port}`

/**
 * The Host that scripts, applications and rules are told: the requested name, and
 * a port only when it is the listener's own. A client's own spelling (another port,
 * a final dot, capitals) would otherwise decide what ends in shared pages, whose
 * addresses know nothing of it but what `portInKey` says. `host`: the name as it was judged.
 */
export const shownHost = (
  headers: Headers,
  context: Pick<SiteContext, 'secure' | 'serverPort'>,
  host: string,
): string => {
  const port = /:(\d+)$/.exec(headers.get('host') ?? '')?.[1]
  const isShown =
    Number(port) === context.serverPort && context.serverPort !== usualPort(context.secure)
  return isShown ? `${host}:${context.serverPort}` : host
}
