import type { CacheKey } from './types.ts'

/** `null` where http and https share the entry. */
export type KeyScheme = 'http' | 'https' | null

/**
 * Address of a page in every layer. The path is taken as it is, so two paths
 * that the origin tells apart (`/日本`, `/中国`, `%2F`, case) never share an entry;
 * no header of the client takes part.
 */
export const cacheKey = (host: string, path: string, scheme: KeyScheme): CacheKey => {
  const lowerHost = host.toLowerCase()
  return { host: lowerHost, path, id: keyId(lowerHost, path, scheme) }
}

/** The `id` of a key; `host` is lower case already. */
export const keyId = (host: string, path: string, scheme: KeyScheme): string =>
  scheme === null ? `//${host}${path}` : `${scheme}://${host}${path}`

/** Every id under which the page may be stored. */
export const keyIds = (host: string, path: string): string[] => {
  const lowerHost = host.toLowerCase()
  return [
    keyId(lowerHost, path, 'https'),
    keyId(lowerHost, path, 'http'),
    keyId(lowerHost, path, null),
  ]
}
