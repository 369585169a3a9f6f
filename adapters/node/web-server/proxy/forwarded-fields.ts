import { isIP } from 'node:net'
import { isTrustedAddress } from '#handlers/domain/text/client-address.ts'
import { parseHost } from '#handlers/sites/names/request-host.ts'
import { shownPort } from '#handlers/sites/names/shown-host.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'

/**
 * What the application is told of the visitor: facts of the connection. Only
 * what a trusted proxy said before is kept, since anybody else could write it.
 */
export const forwardedFields = (
  received: Headers,
  context: SiteContext,
  host: string,
  trustedProxies: readonly string[],
): Record<string, string> => {
  const { clientAddress, secure } = context
  const trusted = isTrustedAddress(clientAddress, trustedProxies)
  const told = (name: string, accept: (value: string) => boolean): string | null => {
    const value = trusted ? received.get(name) : null
    return value !== null && accept(value) ? value : null
  }
  const before = told('x-forwarded-for', (value) => /^[0-9a-f.:,\s[\]]{1,1000}$/i.test(value))
  return {
    'x-forwarded-for': before === null ? clientAddress : `${before}, ${clientAddress}`,
    'x-real-ip': told('x-real-ip', (value) => isIP(value) !== 0) ?? clientAddress,
    'x-forwarded-proto':
      told('x-forwarded-proto', (value) => value === 'http' || value === 'https') ??
      (secure ? 'https' : 'http'),
    'x-forwarded-host': told('x-forwarded-host', (value) => parseHost(value) !== null) ?? host,
    'x-forwarded-port':
      told('x-forwarded-port', (value) => /^\d{1,5}$/.test(value)) ??
      String(shownPort(received, context)),
  }
}
