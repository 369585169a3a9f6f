import { bodyPieces } from './body-pieces.ts'
import { readRanges, type BytePart } from '../fields/byte-ranges.ts'
import { ownTag } from '../codings/content-tag.ts'
import { ageSecs } from './entry.ts'
import { parseHttpDate } from '../fields/http-date.ts'
import { multipartBody, multipartRanges } from './multipart-ranges.ts'
import type { CacheEntry } from '../types.ts'

/**
 * Headers of the entry that a 304 repeats (RFC 9110, 15.4.5), and what guides another
 * cache that updates its copy by it.
 */
export const NOT_MODIFIED_HEADERS = new Set([
  'cache-control',
  'cdn-cache-control',
  'content-location',
  'date',
  'etag',
  'expires',
  'last-modified',
  'vary',
])

const opaque = (etag: string): string => etag.trim().replace(/^W\//, '')
const listed = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/**
 * If-None-Match (weak comparison), else If-Modified-Since, unless that is no HTTP date
 * (RFC 9110, 13.1.3 and 13.2.2).
 */
export const isNotModified = (
  entry: Pick<CacheEntry, 'etag' | 'lastModified'>,
  headers: Headers,
): boolean => {
  const none = headers.get('if-none-match')
  if (none !== null) {
    if (none.trim() === '*') return true
    const own = entry.etag
    return own !== null && listed(none).some((etag) => opaque(etag) === opaque(own))
  }
  if (entry.lastModified === null) return false
  const field = headers.get('if-modified-since')
  if (field === null) return false
  const nowMs = Date.now()
  const sinceMs = parseHttpDate(field, nowMs)
  const modifiedMs = parseHttpDate(entry.lastModified, nowMs)
  return sinceMs !== null && modifiedMs !== null && modifiedMs <= sinceMs
}

/** A stored response without Last-Modified is compared by its Date (RFC 9111, 4.3.2); only http mode keeps one. */
const comparedBy = (entry: CacheEntry): Pick<CacheEntry, 'etag' | 'lastModified'> =>
  entry.http === undefined || entry.lastModified !== null
    ? entry
    : {
        etag: entry.etag,
        lastModified: entry.headers.find(([name]) => name === 'date')?.[1] ?? null,
      }

/** If-Match and If-Unmodified-Since: whether the client wants nothing but another version. */
const isPreconditionFailed = (entry: CacheEntry, headers: Headers): boolean => {
  const match = headers.get('if-match')
  if (match !== null) {
    const own = entry.etag
    const strong = own !== null && !own.startsWith('W/') && listed(match).includes(own)
    return match.trim() !== '*' && !strong
  }
  const nowMs = Date.now()
  const sinceMs = parseHttpDate(headers.get('if-unmodified-since'), nowMs)
  const modifiedMs = parseHttpDate(entry.lastModified, nowMs)
  return sinceMs !== null && modifiedMs !== null && modifiedMs > sinceMs
}

/**
 * Whether the stored Last-Modified names these very bytes: when the response was made, the
 * second of the change was over (RFC 9110, 8.8.2.2).
 */
const isStrongDate = (entry: CacheEntry): boolean => {
  const date = entry.headers.find(([name]) => name === 'date')?.[1] ?? null
  const madeMs = parseHttpDate(date, entry.storedAtMs) ?? entry.storedAtMs
  const modifiedMs = parseHttpDate(entry.lastModified, entry.storedAtMs)
  return modifiedMs !== null && modifiedMs + 1000 <= madeMs
}

/** The satisfiable ranges; null to send everything (malformed, too many, If-Range of another version). */
const requestedRanges = (entry: CacheEntry, headers: Headers): BytePart[] | 'none' | null => {
  const field = headers.get('range')
  if (field === null) return null
  const condition = headers.get('if-range')
  if (condition !== null) {
    const sameEtag = entry.etag === condition && !condition.startsWith('W/')
    const sameDate = entry.lastModified === condition && isStrongDate(entry)
    if (!sameEtag && !sameDate) return null
  }
  return readRanges(field, entry.body.byteLength)
}

/** Response from an entry and the bytes of body it carries. */
export interface Answer {
  response: Response
  bytes: number
}

/**
 * What a GET or HEAD gets from a stored page: all its headers with `Age`,
 * `X-Cache: HIT` and Cache-Status (RFC 9211); 304, 412, 206 and 416 where asked for.
 */
export const responseFromEntry = (
  entry: CacheEntry,
  request: Request,
  nowMs: number,
  detail: string | null = null,
): Answer => {
  // Negative for a stale page (RFC 9211, 2.5).
  const ttlSecs = Math.floor((entry.expiresAtMs - nowMs) / 1000)
  const own: [string, string][] = [
    ['age', String(ageSecs(entry, nowMs))],
    ['x-cache', 'HIT'],
    ['cache-status', `berth; hit; ttl=${ttlSecs}${detail === null ? '' : `; detail=${detail}`}`],
  ]
  const tag = ownTag(entry)
  const answer = (
    status: number,
    extra: readonly (readonly [string, string])[],
    body: Uint8Array<ArrayBuffer> | null,
  ): Answer => {
    const kept =
      status === 304 || status === 412
        ? entry.headers.filter(([name]) => NOT_MODIFIED_HEADERS.has(name))
        : entry.headers
    const headers = new Headers()
    for (const [name, value] of [...kept, ...own, ...extra]) headers.append(name, value)
    if (tag !== null) headers.set('etag', tag)
    const sent = request.method === 'HEAD' ? null : body
    const init = sent === null ? null : bodyPieces(sent)
    return { response: new Response(init, { status, headers }), bytes: sent?.byteLength ?? 0 }
  }
  const size = entry.body.byteLength
  if (isPreconditionFailed(entry, request.headers)) return answer(412, [], null)
  if (isNotModified(comparedBy(entry), request.headers)) return answer(304, [], null)
  const ranges = request.method === 'GET' ? requestedRanges(entry, request.headers) : null
  if (ranges === 'none') {
    const extra = [
      ['content-range', `bytes */${size}`],
      ['content-length', '0'],
    ] as const
    return answer(416, extra, null)
  }
  const [first] = ranges ?? []
  if (ranges && first && ranges.length === 1) {
    const { start, end } = first
    return answer(
      206,
      [
        ['content-range', `bytes ${start}-${end}/${size}`],
        ['content-length', String(end - start + 1)],
      ],
      entry.body.subarray(start, end + 1),
    )
  }
  if (ranges) {
    const type = entry.headers.find(([name]) => name === 'content-type')?.[1] ?? null
    const framed = multipartRanges(ranges, type, size)
    const { response } = answer(206, [['content-length', String(framed.lengthBytes)]], null)
    const { headers } = response
    headers.set('content-type', framed.contentType)
    const { body } = entry
    const pieces = multipartBody(framed, ranges, ({ start, end }) => body.subarray(start, end + 1))
    return { response: new Response(pieces, { status: 206, headers }), bytes: framed.lengthBytes }
  }
  return answer(200, [['content-length', String(size)]], entry.body)
}
