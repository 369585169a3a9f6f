import type { IncomingMessage } from 'node:http'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import { QuickHeaders } from '../../messages/quick-headers.ts'
import { listedFields, PROXY_HOP_BY_HOP } from './hop-by-hop.ts'

/** Statuses whose responses have no body (RFC 9110, 6.4.1). */
const BODYLESS = new Set([204, 205, 304])

/** As many as a script's; the parser counts bytes of names and values alone. */
const MAX_FIELDS = 500

const broken = (what: string): OriginError =>
  new OriginError(502, `the application's answer is broken: ${what}`)

/**
 * The end-to-end part of a response's head. Throws `OriginError` 502 for what
 * cannot be passed on, above all a framing that two readers could take
 * differently.
 */
export const readResponseHead = (
  answer: IncomingMessage,
): { status: number; headers: QuickHeaders; bodyless: boolean } => {
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 599) throw broken(`status ${status}`)
  const coding = answer.headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw broken(`Transfer-Encoding ${coding.slice(0, 40)}`)
  }
  if (answer.rawHeaders.length > 2 * MAX_FIELDS) throw broken(`more than ${MAX_FIELDS} fields`)
  const listed = listedFields(answer.headers.connection)
  const headers = new QuickHeaders()
  const { rawHeaders } = answer
  try {
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const name = (rawHeaders[i] ?? '').toLowerCase()
      if (PROXY_HOP_BY_HOP.has(name) || (listed.has(name) && name !== 'content-length')) continue
      // The parser has judged it, and refused two that differ.
      if (name === 'content-length') headers.set(name, rawHeaders[i + 1] ?? '')
      else headers.append(name, rawHeaders[i + 1] ?? '')
    }
  } catch {
    throw broken('a field that no answer may hold')
  }
  // A body of known coding came in chunks; a length beside them would be a lie.
  if (coding !== undefined) headers.delete('content-length')
  return { status, headers, bodyless: BODYLESS.has(status) }
}
