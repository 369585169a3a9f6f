import { parseCacheControl } from './cache-control.ts'
import type { CacheEntry } from './types.ts'

/** Smaller bodies fit into the first packets as they are. */
const MIN_BYTES = 1024

/** Types of text. An event stream is none: it never ends. */
const TEXT_TYPE =
  /^(?:text\/(?!event-stream)|application\/(?:javascript|x-javascript|ecmascript|json|xml|x-ndjson|[^;]*\+(?:json|xml))|image\/svg\+xml)/i

/** Fields that name the very bytes of the body. */
const DIGESTS = new Set(['content-md5', 'digest', 'content-digest', 'repr-digest'])

/** Whether the entry waits for its encodings and may have them: text, not small, transformable (RFC 9111, 5.2.2.6). */
export const isWorthEncoding = (entry: CacheEntry): boolean => {
  if (entry.encodings !== null || entry.coding !== null) return false
  if (entry.body.byteLength < MIN_BYTES) return false
  let text = false
  for (const [name, value] of entry.headers) {
    if (name === 'content-type') text = TEXT_TYPE.test(value.trim())
    else if (DIGESTS.has(name)) return false
    else if (name === 'cache-control' && parseCacheControl(value).has('no-transform')) return false
  }
  return text
}
