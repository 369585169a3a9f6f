import { cacheKey, VARIANT_MARK, type KeyScheme } from '../address/key.ts'
import type { CacheKey } from '../types.ts'

/**
 * Primary key (RFC 9111, 2): scheme, host, path and query, the last as received.
 * In its place as a variant of the page it is hit by purges of the path, and
 * never found by the look-ups of the page cache, which know no such variant.
 */
export const httpKey = (
  host: string,
  path: string,
  query: string | null,
  scheme: KeyScheme,
  edition = '',
): CacheKey => {
  const mark = edition === '' ? 'http' : `http@${edition}`
  return cacheKey(host, path, scheme, query === null ? mark : `${mark}?${query}`)
}

/** Key of the response for a selection among those that vary. */
export const selectedKey = (key: CacheKey, selection: string): CacheKey => ({
  ...key,
  id: `${key.id}${VARIANT_MARK}${selection}`,
})
