import {
  parseProxyUpstream,
  type ProxyUpstream,
} from '#handlers/domain/upstreams/proxy-upstream.ts'
import { upstreamsOf } from '#handlers/domain/config/proxy/upstreams.ts'
import type { ProxyCall } from '#handlers/sites/origins/proxy-origin.ts'
import { shownHost } from '#handlers/sites/names/shown-host.ts'
import { authorityOf } from './upstreams/authority-of.ts'

/** Host as the application gets it: a port that nobody listens on must not get into a stored page's links. */
export const hostFor = (
  { headers }: Request,
  { context, host }: ProxyCall,
  upgrading: boolean,
): string => (upgrading ? (headers.get('host') ?? host) : shownHost(headers, context, host))

/** Origins of an address: one with a port of its own means itself by either scheme, since it speaks but one. */
const originsOf = (target: ProxyUpstream): string[] => {
  const authority = authorityOf(target)
  const isNamed = target.kind !== 'unix' && /^[^:]+$|\]$/.test(authority)
  if (!isNamed) return [`http://${authority}`, `https://${authority}`]
  return [`http${target.secure ? 's' : ''}://${authority}`]
}

/** What means the application in what it answers, in lower case: hosts that visitors ask, and its own origins. */
export const hostsOf = (
  request: Request,
  call: ProxyCall,
): { visitors: string[]; own: string[] } => ({
  visitors: [call.host, hostFor(request, call, false).toLowerCase()],
  own: upstreamsOf(call.rule).flatMap(({ upstream }) => {
    const target = parseProxyUpstream(upstream)
    return typeof target === 'string' ? [] : originsOf(target)
  }),
})
