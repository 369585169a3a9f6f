import { endToEndHeaders } from '../entry/headers.ts'
import type { CacheEntry } from '../types.ts'

/** Preconditions and ranges are the client's own; a stored response is asked for whole. */
const CLIENTS_OWN = [
  'if-none-match',
  'if-modified-since',
  'if-match',
  'if-unmodified-since',
  'if-range',
  'range',
]

/**
 * The request that goes to the origin for everybody: GET with the client's
 * headers, but not bound to its connection, so that a client who leaves does not
 * break it for those who wait. With `known`, a stored response, it asks whether that
 * one still holds (RFC 9111, 4.3.1).
 */
export const originRequest = (request: Request, known: CacheEntry | null): Request => {
  const headers = new Headers(request.headers)
  if (known) {
    for (const name of CLIENTS_OWN) headers.delete(name)
    if (known.etag) headers.set('if-none-match', known.etag)
    if (known.lastModified) headers.set('if-modified-since', known.lastModified)
  }
  return new Request(request.url, { method: 'GET', headers })
}

/** What a 304 may not change: it is about the body that is stored (RFC 9111, 3.2). */
const OF_THE_BODY = new Set(['content-encoding', 'content-range', 'content-length'])

const opaque = (etag: string): string => etag.replace(/^W\//, '')

/**
 * Whether a 304 is about this entry (RFC 9111, 4.3.4): a strong ETag must be the
 * entry's own, a weak one or Last-Modified must match where the entry has one. One
 * without a validator confirms what was asked about, which was this entry.
 */
export const confirms = (response: Response, known: CacheEntry): boolean => {
  const etag = response.headers.get('etag')
  const modified = response.headers.get('last-modified')
  if (etag !== null && !etag.startsWith('W/')) return known.etag === etag
  if (etag !== null && known.etag !== null) return opaque(etag) === opaque(known.etag)
  return modified === null || known.lastModified === null || modified === known.lastModified
}

/** Headers of the stored response, updated by those of the 304 (RFC 9111, 3.2 and 4.3.4). */
export const freshenedHeaders = (known: CacheEntry, confirmation: Headers): Headers => {
  const cookies = [...confirmation].filter(([name]) => name === 'set-cookie')
  const updates = [...endToEndHeaders(confirmation), ...cookies].filter(
    ([name]) => !OF_THE_BODY.has(name),
  )
  const replaced = new Set(updates.map(([name]) => name))
  const merged = new Headers()
  for (const [name, value] of known.headers) {
    if (!replaced.has(name) && name !== 'date') merged.append(name, value)
  }
  for (const [name, value] of updates) merged.append(name, value)
  // Not kept with an entry, but needed to judge it anew.
  for (const name of ['date', 'age']) {
    const value = confirmation.get(name)
    if (value !== null) merged.set(name, value)
  }
  return merged
}
