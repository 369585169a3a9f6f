import type { IncomingMessage } from 'node:http'
import { listedFields, PROXY_HOP_BY_HOP } from './hop-by-hop.ts'

/** What frames, routes or controls a message has to stand before its body (RFC 9110, 6.5.1). */
const NEVER_BEHIND = new Set([
  ...[
    'age',
    'authorization',
    'cache-control',
    'content-encoding',
    'content-length',
    'content-range',
  ],
  ...['content-type', 'date', 'expires', 'host', 'location', 'retry-after', 'set-cookie', 'vary'],
  ...['warning', 'www-authenticate'],
])
/** More cannot be meant well. */
const MAX_FIELDS = 100

/** The end-to-end trailers of an application's response, once it has ended. */
export const responseTrailers = (answer: IncomingMessage): [name: string, value: string][] => {
  const { rawTrailers } = answer
  const listed = listedFields(answer.headers.connection)
  const fields: [string, string][] = []
  for (let at = 0; at + 1 < rawTrailers.length && fields.length < MAX_FIELDS; at += 2) {
    const name = (rawTrailers[at] ?? '').toLowerCase()
    if (PROXY_HOP_BY_HOP.has(name) || NEVER_BEHIND.has(name) || listed.has(name)) continue
    fields.push([name, rawTrailers[at + 1] ?? ''])
  }
  return fields
}
