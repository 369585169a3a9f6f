import { endToEndHeaders } from './headers.ts'
import { REVALIDATE_HEADER } from '../fields/revalidate-header.ts'
import { scriptOf, scriptTag } from '../fields/script-header.ts'
import { seconds } from '../fields/cache-control.ts'
import { contentTag, hasTag } from '../codings/content-tag.ts'
import { codingOf } from '../codings/encoding.ts'
import { NO_CODING_HEADER } from '../fields/no-coding-header.ts'
import { entryTags, responseTags } from '../purge/tags.ts'
import type { CacheEntry, CacheKey } from '../types.ts'

/** How long a page may be served stale, in seconds after its freshness ended (RFC 5861). */
export interface StaleSecs {
  whileRevalidate: number
  ifError: number
}

/**
 * All of an entry but the body, fixed when the head of the response is there. The field
 * is there already: one that comes later lies in a piece of memory of its own, which
 * a million entries pay for, and every response looks at.
 */
export type EntryHead = Omit<CacheEntry, 'body'> & { body: null }

/**
 * Head of the entry for a response that may be stored; null when its tags cannot
 * all be kept. `sequence` is the purge sequence from before the origin was asked.
 */
export const entryHead = (input: {
  key: CacheKey
  primaryDomain: string
  headers: Headers
  sequence: number
  ttlSecs: number
  ageSecs: number
  /** Seconds after the end of freshness; null where the page may never be served stale. */
  staleSecs: StaleSecs | null
  nowMs: number
}): EntryHead | null => {
  const { key, headers, nowMs, staleSecs } = input
  const custom = responseTags(headers)
  if (!custom) return null
  const script = scriptOf(headers)
  const expiresAtMs = nowMs + Math.floor(input.ttlSecs * 1000)
  const stored = endToEndHeaders(headers)
  return {
    key,
    status: 200,
    headers: stored,
    body: null,
    tags: entryTags(
      key.host,
      input.primaryDomain,
      script === null ? custom : [...custom, scriptTag(script)],
    ),
    storedAtMs: nowMs - input.ageSecs * 1000,
    expiresAtMs,
    ...(staleSecs && {
      stale: {
        refreshUntilMs: expiresAtMs + staleSecs.whileRevalidate * 1000,
        errorUntilMs: expiresAtMs + staleSecs.ifError * 1000,
      },
    }),
    sequence: input.sequence,
    // What is named in `Connection` is not stored, and no validator then.
    etag: hasTag(stored) ? headers.get('etag') : null,
    lastModified: headers.get('last-modified'),
    revalidateSecs: seconds(headers.get(REVALIDATE_HEADER)),
    ...(script !== null && { script: { file: script, version: '' } }),
    coding: codingOf(headers),
    encodings: headers.has(NO_CODING_HEADER) ? [] : null,
  }
}

/**
 * The entry of a head and the whole body, with an ETag of its content where the
 * origin gave none. What was made from a file stays without: its validators are the
 * file's, and rules may have taken one away.
 */
export const entryOf = async (
  head: EntryHead,
  body: Uint8Array<ArrayBuffer>,
): Promise<CacheEntry> => {
  const isTagged = head.etag !== null || head.revalidateSecs !== null
  return { ...head, body, etag: isTagged ? head.etag : await contentTag(body) }
}

/** What a body in another coding takes beside its bytes: the objects of its responses. */
const ENCODING_BYTES = 1024

/**
 * Bytes an entry costs in memory: the bodies, two bytes per character of texts,
 * and what the objects around them take (measured with 1 M entries of 2 KB).
 */
export const entryBytes = (entry: CacheEntry): number => {
  let characters = entry.key.id.length + entry.key.path.length
  for (const [name, value] of entry.headers) characters += name.length + value.length + 32
  for (const tag of entry.tags) characters += tag.length + 16
  let bytes = entry.body.byteLength + 2 * characters + 700
  for (const { body } of entry.encodings ?? []) bytes += body.byteLength + ENCODING_BYTES
  return bytes
}

/** When the entry is of no more use at all; stores may drop it then. */
export const keepUntilMs = ({ expiresAtMs, stale }: CacheEntry): number =>
  stale ? Math.max(expiresAtMs, stale.refreshUntilMs, stale.errorUntilMs) : expiresAtMs

/** Whether it may be served as it is, as far as time tells; purges are the marks' to judge. */
export const isFresh = (entry: CacheEntry, nowMs: number): boolean => nowMs < entry.expiresAtMs

/** Whole seconds since the origin made it (RFC 9111, 4.2.3); never negative, also when the clock was set back. */
export const ageSecs = (entry: CacheEntry, nowMs: number): number =>
  Math.max(0, Math.floor((nowMs - entry.storedAtMs) / 1000))
