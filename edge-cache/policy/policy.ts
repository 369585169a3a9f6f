import type { CacheRule } from '../config.ts'
import { hasBypassCookie, type LearnedCookies } from '../cookies/bypass-cookies.ts'
import { parseCacheControl, seconds } from '../fields/cache-control.ts'
import { codingOf, isStorableCoding } from '../codings/encoding.ts'
import type { StaleSecs } from '../entry/entry.ts'
import { parseHttpDate } from '../fields/http-date.ts'
import { hasIgnorableQuery } from '../address/ignorable-query.ts'
import { litespeedControl } from '../litespeed/litespeed-control.ts'
import { wantsOtherRepresentation } from '../fields/other-representation.ts'

/** Why a request is not answered from the cache; `detail` of Cache-Status and name of the counter. */
export type BypassReason =
  | 'method'
  | 'excluded'
  | 'upgrade'
  | 'body'
  | 'query'
  | 'authorization'
  | 'cookie'
  | 'header'
  | 'accept'
  | 'encoding'

/** Why a response is not stored. */
export type UncacheableReason =
  | 'status'
  | 'content-type'
  | 'set-cookie'
  | 'private'
  | 'no-store'
  | 'no-cache'
  | 'expired'
  | 'vary'
  | 'encoding'
  | 'tags'
  | 'too-large'

/** Whether the path matches a pattern: exact, or a prefix ending in `*`; spelled out or percent-encoded. */
export const isExcluded = (path: string, patterns: readonly string[]): boolean => {
  if (patterns.length === 0) return false
  // The file system takes slashes in a row for one, so they must not lead past a pattern.
  const plain = path.replace(/\/{2,}/g, '/')
  const spellings = [plain, decoded(plain)]
  return patterns.some((pattern) =>
    [pattern, decoded(pattern)].some((wanted) =>
      spellings.some((given) =>
        wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted,
      ),
    ),
  )
}

const decoded = (path: string): string => {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

const admitsHtml = (accept: string | null): boolean =>
  accept === null || /\*\/\*|text\/(?:html|\*)|application\/xhtml\+xml/i.test(accept)

/**
 * Why this request goes to the origin whatever is stored, or null. `path` is the
 * origin's; a query of nothing but `ignoreQueryParams` does not count. `learned` is
 * what is known of the site's cookies.
 */
export const requestBypass = (
  request: Request,
  path: string,
  rule: CacheRule,
  ignoreQueryParams: readonly string[] = [],
  learned?: LearnedCookies,
): BypassReason | null => {
  const { method, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return 'method'
  if (isExcluded(path, rule.exclude)) return 'excluded'
  if (headers.has('upgrade')) return 'upgrade'
  if (request.body !== null || headers.has('transfer-encoding')) return 'body'
  if (Number(headers.get('content-length') ?? 0) !== 0) return 'body'
  if (request.url.includes('?') && !hasIgnorableQuery(request.url, ignoreQueryParams)) {
    return 'query'
  }
  if (headers.has('authorization')) return 'authorization'
  if (hasBypassCookie(headers.get('cookie'), rule.bypass_cookies, learned)) return 'cookie'
  if (wantsOtherRepresentation(headers)) return 'header'
  if (!admitsHtml(headers.get('accept'))) return 'accept'
  return null
}

/** How long a response may be kept, from now; or why it may not. */
export type StoreVerdict =
  { ttlSecs: number; ageSecs: number; staleSecs: StaleSecs | null } | UncacheableReason

/** What a virtual host allows. */
export interface StoreRules {
  /** The origin can only shorten it. */
  ttlSecs: number
  /** For both kinds of staleness, where the origin says nothing. Default 0. */
  graceSecs?: number
  /** Lower case. Default: HTML. */
  contentTypes?: readonly string[]
  /** Whether the key tells clients apart by the class of their `User-Agent`. Default false. */
  variesByDevice?: boolean
}

const HTML = ['text/html']

/** Rules for responses (RFC 9111, 3, narrowed by ours): 200, of a wanted type, for everybody, fresh. */
export const responseVerdict = (
  response: Response,
  rules: StoreRules,
  nowMs: number,
): StoreVerdict => {
  const { headers } = response
  if (response.status !== 200) return 'status'
  const type = (headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  if (!(rules.contentTypes ?? HTML).includes(type.trim().toLowerCase())) return 'content-type'
  if (headers.has('set-cookie')) return 'set-cookie'
  // What is said to this cache alone stands in place of what all caches are told.
  const own = litespeedControl(headers)
  const control = own?.directives ?? parseCacheControl(headers.get('cache-control'))
  if (own?.refusal) return own.refusal
  for (const reason of ['private', 'no-store', 'no-cache'] as const) {
    if (control.has(reason)) return reason
  }
  if (control.size === 0 && /no-cache/i.test(headers.get('pragma') ?? '')) return 'no-cache'
  const keyed = [
    ...(rules.variesByDevice === true ? ['user-agent'] : []),
    ...(own ? ['cookie'] : []),
  ]
  if (varies(headers, keyed)) return 'vary'
  if (!isStorableCoding(codingOf(headers))) return 'encoding'

  const ageSecs = seconds(headers.get('age')) ?? 0
  const lifetime = own ? Infinity : lifetimeSecs(headers, control, nowMs)
  const left = (own?.lifetimeSecs ?? Math.min(rules.ttlSecs + ageSecs, lifetime)) - ageSecs
  if (left <= 0) return 'expired'
  return { ttlSecs: left, ageSecs, staleSecs: staleSecs(control, rules.graceSecs ?? 0) }
}

/** Whether the response differs by something else than what the key tells apart, or a site vouches for. */
const varies = (headers: Headers, keyed: readonly string[]): boolean => {
  const known = ['', 'accept-encoding', ...keyed]
  const vary = (headers.get('vary') ?? '').toLowerCase().split(',')
  return vary.some((name) => !known.includes(name.trim()))
}

/** Seconds from the origin's response on, `Age` not yet taken off; without limit when nothing is said. */
const lifetimeSecs = (
  headers: Headers,
  control: ReadonlyMap<string, string>,
  nowMs: number,
): number => {
  if (control.has('s-maxage') || control.has('max-age')) {
    // An unreadable limit is no permission (RFC 9111, 4.2.1).
    return seconds(control.get('s-maxage')) ?? seconds(control.get('max-age')) ?? 0
  }
  return expiresIn(headers, nowMs) + (seconds(headers.get('age')) ?? 0)
}

/** RFC 5861; forbidden altogether by `must-revalidate` (RFC 9111, 4.2.4). */
const staleSecs = (control: ReadonlyMap<string, string>, graceSecs: number): StaleSecs | null => {
  if (control.has('must-revalidate') || control.has('proxy-revalidate')) return null
  return {
    whileRevalidate: seconds(control.get('stale-while-revalidate')) ?? graceSecs,
    ifError: seconds(control.get('stale-if-error')) ?? graceSecs,
  }
}

/** Seconds until `Expires`; without limit when there is none, 0 when it is no date. */
const expiresIn = (headers: Headers, nowMs: number): number => {
  const expires = headers.get('expires')
  if (expires === null) return Infinity
  const untilMs = parseHttpDate(expires, nowMs)
  if (untilMs === null) return 0
  return (untilMs - (parseHttpDate(headers.get('date'), nowMs) ?? nowMs)) / 1000
}
