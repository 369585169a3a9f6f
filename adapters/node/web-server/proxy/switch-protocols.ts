import { isPluginField } from '#edge-cache/index.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { ProxyCall } from '#handlers/sites/origins/proxy-origin.ts'
import type { Answered } from './ask-upstream.ts'
import { listedFields } from './hop-by-hop.ts'

/**
 * Hands the connection of an application that changed to WebSockets to whoever asked for that; the
 * response means nothing but for its words to the page cache. Throws `OriginError` 502 for any other
 * change.
 */
export const switchProtocols = (
  call: ProxyCall,
  { answer, connection, first }: Extract<Answered, { kind: 'switched' }>,
): Response => {
  const { upgrade } = call.context
  const to = answer.headers.upgrade?.toLowerCase()
  const said = listedFields(answer.headers.connection).has('upgrade')
  if (upgrade === undefined || !call.rule.websocket || to !== 'websocket' || !said) {
    connection.destroy()
    throw new OriginError(502, 'the application changed to a protocol that nobody asked for')
  }
  const { rawHeaders } = answer
  const fields = rawHeaders.flatMap((name, i): [string, string][] =>
    i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : [],
  )
  const words = fields.filter(([name]) => isPluginField(name.toLowerCase()))
  upgrade.accept({
    reason: answer.statusMessage ?? '',
    // A 101 has no body, whatever it says (RFC 9110, 8.6 and RFC 9112, 6.1).
    fields: fields.filter(
      ([name]) =>
        !/^(?:content-length|transfer-encoding)$/i.test(name) && !isPluginField(name.toLowerCase()),
    ),
    connection,
    first,
    idleSecs: call.rule.websocket_idle_secs,
    domain: call.vhost.domain,
  })
  // What it asks to be purged is the page cache's affair all the same.
  return new Response(null, { status: 204, headers: words })
}
