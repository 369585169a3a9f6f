import type { CacheKey } from '../types.ts'

/** Which of a page's variants; null where a virtual host has but one. */
export type PageVariant = 'mobile' | 'desktop' | null

/** `null` where http and https share the entry. */
export type KeyScheme = 'http' | 'https' | null

/**
 * Address of a page in every layer. The path is taken as it is, so two paths
 * that the origin tells apart (`/日本`, `/中国`, `%2F`, case) never share an entry;
 * no header of the client takes part, but for a `variant` that we name ourselves.
 */
export const cacheKey = (
  host: string,
  path: string,
  scheme: KeyScheme,
  variant: string | null = null,
): CacheKey => {
  const lowerHost = host.toLowerCase()
  return { host: lowerHost, path, id: keyId(lowerHost, path, scheme, variant) }
}

/** Between the address of a page and what tells its variants apart; no path holds it. */
export const VARIANT_MARK = '\n'

/** What tells a page's variants apart, where the site's own rules do too. */
export const editionVariant = (variant: string | null, edition = ''): string | null =>
  edition === '' ? variant : `${variant ?? ''}@${edition}`

/** The id of the page of which this is a variant; purges by path hit them all. */
export const pageId = (id: string): string => {
  const end = id.indexOf(VARIANT_MARK)
  return end === -1 ? id : id.slice(0, end)
}

/** The `id` of a key; `host` is lower case already. */
export const keyId = (
  host: string,
  path: string,
  scheme: KeyScheme,
  variant: string | null = null,
): string => {
  const id = scheme === null ? `//${host}${path}` : `${scheme}://${host}${path}`
  return variant === null ? id : `${id}${VARIANT_MARK}${variant}`
}

/** Every id under which the page may be stored, but for variants. */
export const keyIds = (host: string, path: string): string[] => {
  const lowerHost = host.toLowerCase()
  return [
    keyId(lowerHost, path, 'https'),
    keyId(lowerHost, path, 'http'),
    keyId(lowerHost, path, null),
  ]
}
