import type { EntryHead } from '../entry/entry.ts'
import { codingOf } from '../codings/encoding.ts'
import { endToEndHeaders } from '../entry/headers.ts'
import type { PageCacheContext } from '../address/page-context.ts'
import { entryTags, responseTags } from '../purge/tags.ts'
import type { CacheEntry, CacheKey } from '../types.ts'
import { initialAgeSecs } from './age.ts'
import { responseDirectives, type Directives } from './directives.ts'
import { freshnessOf } from './freshness.ts'
import { notStorable, type NotStorable } from './storability.ts'
import { uriTag } from './uri-tag.ts'
import { varyNames } from './vary.ts'

/** A request as the rules look at it. */
export interface HttpCall {
  request: Request
  control: Directives
  context: PageCacheContext
  /** Primary key, and the query in it. */
  key: CacheKey
  query: string | null
  /** Asks the origin. */
  next(request: Request): Promise<Response>
}

/** How long a response that can be revalidated is kept after it became stale, and one that cannot. */
const KEEP_VALIDATED_SECS = 86_400
const KEEP_SECS = 600

/** Headers to store: end-to-end, without the fields the origin keeps from us, with a Date. */
const storedHeaders = (
  headers: Headers,
  control: Directives,
  respondedAtMs: number,
): (readonly [string, string])[] => {
  const withheld = new Set([...control.fields('private'), ...control.fields('no-cache')])
  const own = endToEndHeaders(headers).filter(([name]) => !withheld.has(name))
  if (!withheld.has('set-cookie')) {
    own.push(...[...headers].filter(([name]) => name === 'set-cookie'))
  }
  // A recipient with a clock adds the Date that is missing (RFC 9110, 6.6.1).
  return [...own, ['date', headers.get('date') ?? new Date(respondedAtMs).toUTCString()]]
}

/**
 * Head of the entry for an origin's response, under the primary key; or why it is
 * not stored. `keptTags` are those of the entry that a 304 confirms.
 */
export const httpEntryHead = (
  call: HttpCall,
  response: { status: number; headers: Headers },
  times: { askedAtMs: number; respondedAtMs: number; sequence: number },
  keptTags: readonly string[] | null = null,
): EntryHead | NotStorable => {
  const { request, context, key } = call
  const { status, headers } = response
  const { respondedAtMs } = times
  const control = responseDirectives((name) => headers.get(name))
  // Where cookies are at play a default is no permission.
  const cookies = request.headers.has('cookie') || headers.has('set-cookie')
  const defaultSecs = cookies ? 0 : (context.rule.ttl ?? 0)
  const freshness = freshnessOf({ status, headers, control }, defaultSecs, respondedAtMs)
  const reason = notStorable(
    { headers: request.headers, control: call.control },
    { status, headers, control },
    freshness,
  )
  if (reason) return reason
  const custom = responseTags(headers)
  if (!custom) return 'tags'
  const own = [uriTag(key.host, context.path, call.query), ...custom]
  const validates = headers.has('etag') || headers.has('last-modified')
  const keepSecs = Math.max(
    validates ? KEEP_VALIDATED_SECS : KEEP_SECS,
    control.secs('stale-while-revalidate') ?? 0,
    control.secs('stale-if-error') ?? 0,
  )
  const storedAtMs = respondedAtMs - initialAgeSecs(headers, times.askedAtMs, respondedAtMs) * 1000
  const freshUntilMs = storedAtMs + freshness.lifetimeSecs * 1000
  const expiresAtMs = Math.max(freshUntilMs, respondedAtMs) + keepSecs * 1000
  return {
    key,
    status,
    headers: storedHeaders(headers, control, respondedAtMs),
    body: null,
    tags:
      keptTags && custom.length === 0 ? keptTags : entryTags(key.host, context.primaryDomain, own),
    storedAtMs,
    expiresAtMs,
    // A soft purge leaves it to be validated.
    stale: { refreshUntilMs: expiresAtMs, errorUntilMs: expiresAtMs },
    sequence: times.sequence,
    etag: headers.get('etag'),
    lastModified: headers.get('last-modified'),
    revalidateSecs: null,
    coding: codingOf(headers),
    encodings: null,
    http: { freshUntilMs, vary: varyNames(headers) ?? [], selected: null },
  }
}

/**
 * A stored response as a 304 updates it, where that may not be stored: for the client
 * who had it validated, and nobody else.
 */
export const updatedForOne = (
  known: CacheEntry,
  headers: Headers,
  times: { askedAtMs: number; respondedAtMs: number },
): CacheEntry => {
  const { askedAtMs, respondedAtMs } = times
  const control = responseDirectives((name) => headers.get(name))
  return {
    ...known,
    headers: storedHeaders(headers, control, respondedAtMs),
    storedAtMs: respondedAtMs - initialAgeSecs(headers, askedAtMs, respondedAtMs) * 1000,
    etag: headers.get('etag'),
    lastModified: headers.get('last-modified'),
    http: { freshUntilMs: respondedAtMs, vary: [], selected: null },
  }
}
