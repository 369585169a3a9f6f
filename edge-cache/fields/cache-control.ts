/**
 * Directives of a Cache-Control header, lower-case names; the value is '' where
 * there is none. Of a repeated directive the first counts (RFC 9111, 4.2.1).
 */
export const parseCacheControl = (header: string | null): Map<string, string> => {
  const directives = new Map<string, string>()
  const pattern = /([^\s,;="]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;]*)))?/g
  for (const match of (header ?? '').matchAll(pattern)) {
    const name = (match[1] ?? '').toLowerCase()
    if (!directives.has(name)) directives.set(name, match[2] ?? match[3] ?? '')
  }
  return directives
}

/** Delta-seconds (RFC 9111, 1.2.2): a non-negative integer, capped at 2^31; null for anything else. */
export const seconds = (value: string | null | undefined): number | null =>
  value !== null && value !== undefined && /^\d+$/.test(value.trim())
    ? Math.min(Number(value), 2 ** 31)
    : null

/** What a script says to this cache alone, in place of Cache-Control; it never reaches the client. */
export const LITESPEED_CONTROL = 'x-litespeed-cache-control'
