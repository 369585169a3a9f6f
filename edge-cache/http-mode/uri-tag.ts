/** Tags of addresses per host: bounds the marks that a host's unsafe requests can leave behind. */
const TAGS_PER_HOST = 4096

/** FNV-1a, 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  }
  return value >>> 0
}

/**
 * Tag by which unsafe requests invalidate what is stored of an address (RFC 9111,
 * 4.4), whatever the scheme and the variant. Addresses share tags, so that no
 * number of addresses makes the purge marks grow without end; the price is that
 * now and then another response of the same host is asked for anew.
 */
export const uriTag = (host: string, path: string, query: string | null): string =>
  `uri:${host}:${hash(query === null ? path : `${path}?${query}`) % TAGS_PER_HOST}`
