import type { SiteContext } from '../site-context.ts'

/** Port that a scheme's addresses leave out. */
const usualPort = (secure: boolean): number => (secure ? 443 : 80)

/**
 * What the port of a request is to the application, as a part of its page's address:
 * the listener's own after a colon where `shownHost` names it, else empty.
 * `asked`: the port that the client named; null: none.
 */
export const portInKey = (
  asked: number | null,
  { secure, serverPort }: Pick<SiteContext, 'secure' | 'serverPort'>,
): string => (asked === serverPort && serverPort !== usualPort(secure) ? `:${serverPort}` : '')

/** An edition of the site's rules, with `portInKey`. */
export const editionAtPort = (edition: string, port: string): string =>
  port === '' ? edition : `${edition}|${port}`

/**
 * The port that scripts, applications and rules are told: the listener's own where
 * the client names it, else the scheme's usual one, as Apache has it. What stands
 * before the listener may lead another port to it, and pages must not depend on
 * a port that their address does not know.
 */
export const shownPort = (
  headers: Headers,
  { secure, serverPort }: Pick<SiteContext, 'secure' | 'serverPort'>,
): number => {
  const asked = /:(\d{1,5})$/.exec(headers.get('host') ?? '')?.[1]
  return Number(asked) === serverPort ? serverPort : usualPort(secure)
}

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
  const port = shownPort(headers, context)
  return port === usualPort(context.secure) ? host : `${host}:${port}`
}
