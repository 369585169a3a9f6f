import { isFrontServerField } from '#edge-cache/index.ts'
import { listedFields } from './hop-by-hop.ts'

/** About one connection, for a proxy, or ours to say (RFC 9110, 7.6.1). */
const NOT_PASSED = new Set([
  'connection',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  // Scripts that take it for HTTP_PROXY would send their own requests there.
  'proxy',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-real-ip',
])

/** What frames or names the request must stay, whatever a client lists in `Connection`. */
const ALWAYS_PASSED = new Set(['cookie', 'authorization', 'content-type'])

/**
 * The client's fields as the application gets them. `_` counts as `-`, because
 * to many applications `X_Forwarded_For` is the same variable.
 */
export const requestFields = (received: Headers): Record<string, string> => {
  const listed = listedFields(received.get('connection'))
  const fields: Record<string, string> = {}
  for (const [name, value] of received) {
    const meant = name.replaceAll('_', '-')
    if (NOT_PASSED.has(meant) || meant.startsWith('x-forwarded-')) continue
    if (isFrontServerField(meant)) continue
    if (listed.has(name) && !ALWAYS_PASSED.has(name)) continue
    fields[name] = value
  }
  return fields
}
