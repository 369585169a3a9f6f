import type { CacheEntry } from '../types.ts'

/** Bytes of the digest that a tag shows: sixteen characters, and no two pages of a site ever share one by chance. */
const TAG_BYTES = 12

/**
 * Strong ETag of a stored body, with its quotes (RFC 9110, 8.8.3). Equal bodies have
 * equal tags, whichever process filled the page, so that a page that is made
 * anew and comes out the same is still a 304 to who has it.
 */
export const contentTag = async (body: Uint8Array<ArrayBuffer>): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body), 0, TAG_BYTES)
  const text = btoa(String.fromCharCode(...digest))
  return `"${text.replaceAll('+', '-').replaceAll('/', '_')}"`
}

/**
 * The tag that a response of a stored page gets beside its stored fields; null where
 * the origin gave it one. It is not among the fields, because pages of a site
 * share the list of them, and no two pages share a tag.
 */
export const ownTag = ({ etag, headers, http }: CacheEntry): string | null =>
  etag === null || http !== undefined || hasTag(headers) ? null : etag

/** Whether an origin's tag is among the fields. */
export const hasTag = (headers: CacheEntry['headers']): boolean =>
  headers.some(([name]) => name === 'etag')
