import type { VirtualHostConfig } from '../domain/config/config-types.ts'
import { isChallenge, serveChallenge } from './acme-challenge.ts'
import { isMisdirected } from './names/misdirected.ts'
import { parseHost } from './names/request-host.ts'
import type { VirtualHostTable } from './names/virtual-host-table.ts'
import { encodePath, normalizeTarget } from './paths/request-path.ts'
import type { NormalTarget } from './paths/request-path.ts'
import {
  errorPage,
  overBandwidthPage,
  suspendedPage,
  unknownHostPage,
} from './responses/error-page.ts'
import type { SiteCall } from './site-call.ts'
import type { SiteContext } from './site-context.ts'

/** What the entrance is made of. */
export interface SiteEntranceDeps {
  /** The table of the running configuration; asked once per request. */
  hosts: () => VirtualHostTable
  /** Answer to a certificate authority's token; null: it is no such token. Default: there are none. */
  challenge?: (token: string) => string | null
  /** Port that `redirect_https` leads to; default 443. */
  httpsPort?: number
}

/** What all sites understand (RFC 9110, 9.3.7); their applications may understand more. */
const aboutServer = (): Response =>
  new Response(null, {
    headers: { allow: 'GET, HEAD, POST, OPTIONS', 'content-length': '0', server: 'Berth' },
  })

const nameOf = (field: string | null): string => parseHost(field ?? '')?.name ?? ''

/** What the configuration says of names that no virtual host has. */
const caughtAt = (
  { unknown }: VirtualHostTable,
  method: string,
  host: string,
  { rawTarget }: SiteContext,
): Response => {
  const redirect = unknown?.redirect ?? null
  const leadsHere = redirect !== null && new URL(redirect).hostname === host
  if (unknown === null || leadsHere || isChallenge(normalizeTarget(rawTarget)?.path ?? rawTarget))
    return unknownHostPage(method)
  if (unknown.redirect !== null)
    return new Response(null, {
      status: 302,
      headers: { location: unknown.redirect, 'content-length': '0', 'cache-control': 'no-store' },
    })
  return errorPage(method, unknown.status ?? 404, { 'cache-control': 'no-store' })
}

const NEVER = new Set(['TRACE', 'CONNECT'])

/**
 * What stands before every site: challenges of certificate authorities come first, then
 * the host is looked up, a suspended site is closed, the target is judged, and http goes
 * to https where wanted.
 */
export const createSiteEntrance = (
  deps: SiteEntranceDeps,
): ((request: Request, context: SiteContext) => Response | SiteCall) => {
  const { hosts } = deps
  const httpsPort = deps.httpsPort ?? 443

  const toHttps = (
    method: string,
    host: string,
    target: NormalTarget,
    own: VirtualHostConfig['headers'],
  ): Response => {
    const port = httpsPort === 443 ? '' : `:${httpsPort}`
    const query = target.query === null ? '' : `?${target.query}`
    const location = `https://${host}${port}${encodePath(target.path)}${query}`
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    const headers = new Headers({ ...own, location, 'content-length': '0' })
    // It must not be said over plain http (RFC 6797, 7.2).
    headers.delete('strict-transport-security')
    return new Response(null, { status, headers })
  }

  /** What can be said at once, or which call it is. */
  return (request, context) => {
    const { method } = request
    const field = request.headers.get('host')
    // At names that are nobody's nothing is proved, whoever answers there.
    const caught = isChallenge(context.rawTarget) && hosts().isCaught(nameOf(field))
    const proof = caught ? null : serveChallenge(method, context.rawTarget, deps.challenge)
    if (proof !== null) return proof
    // Without Host there is no virtual host; only HTTP/1.0 may leave it out (RFC 9112, 3.2).
    if (!field && context.protocol === 'HTTP/1.0') return unknownHostPage(method)
    const host = parseHost(field ?? '')
    if (host === null) return errorPage(method, 400)
    if (method === 'OPTIONS' && context.rawTarget === '*') return aboutServer()
    const table = hosts()
    const known = table.find(host.name)
    const vhost = known ?? table.answering(host.name)
    if (vhost === null)
      return table.isCaught(host.name)
        ? caughtAt(table, method, host.name, context)
        : unknownHostPage(method)
    if (isMisdirected(table, vhost, context.serverName))
      return errorPage(method, 421, { 'cache-control': 'no-store' })
    if (vhost.suspended) return suspendedPage(method)
    if (vhost.over_bandwidth) return overBandwidthPage(method)
    const target = normalizeTarget(context.rawTarget)
    if (target === null) return errorPage(method, 400)
    if (NEVER.has(method)) return errorPage(method, 405, { allow: 'GET, HEAD, POST' })
    if (known === null && isChallenge(target.path)) return unknownHostPage(method)
    // No certificate is for a name that nobody has.
    const toSecure =
      known !== null && vhost.redirect_https && !context.secure && !isChallenge(target.path)
    if (toSecure) return toHttps(method, host.name, target, vhost.headers)
    const isCaught = known === null ? { isCaught: true } : {}
    return { vhost, host: host.name, target, context, ...isCaught }
  }
}
