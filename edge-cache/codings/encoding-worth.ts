import { parseCacheControl } from '../fields/cache-control.ts'
import type { CacheEntry } from '../types.ts'

/** Smaller bodies fit into the first packets as they are. */
export const MIN_CODED_BYTES = 1024

/** Types of text. An event stream is none: it never ends. */
const TEXT_TYPE =
  /^(?:text\/(?!event-stream)|application\/(?:javascript|x-javascript|ecmascript|json|xml|x-ndjson|[^;]*\+(?:json|xml))|image\/svg\+xml)/i

/** Whether a `Content-Type` is one of text, which gets shorter in a coding. */
export const isTextType = (type: string): boolean => TEXT_TYPE.test(type.trim())

/** Fields that name the very bytes of the body. */
const DIGESTS = new Set(['content-md5', 'digest', 'content-digest', 'repr-digest'])

/** Whether a response with these fields must reach the client in the bytes it has (RFC 9110, 7.7). */
export const isFixedBody = (headers: Headers): boolean => {
  for (const name of DIGESTS) if (headers.has(name)) return true
  const control = headers.get('cache-control')
  return control !== null && parseCacheControl(control).has('no-transform')
}

/** Whether the entry waits for its encodings and may have them: text, not small, transformable (RFC 9111, 5.2.2.6). */
export const isWorthEncoding = (entry: CacheEntry): boolean => {
  if (entry.encodings !== null || entry.coding !== null) return false
  if (entry.body.byteLength < MIN_CODED_BYTES) return false
  let text = false
  for (const [name, value] of entry.headers) {
    if (name === 'content-type') text = isTextType(value)
    else if (DIGESTS.has(name)) return false
    else if (name === 'cache-control' && parseCacheControl(value).has('no-transform')) return false
  }
  return text
}
