import type { CacheRule } from './config.ts'
import { hasBypassCookie } from './cookies.ts'
import { parseCacheControl, seconds } from './cache-control.ts'
import { codingOf, isStorableCoding } from './encoding.ts'

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

/** Why an answer is not stored. */
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

/**
 * Headers by which scripts ask for something else than the page (a fragment,
 * JSON) at the page's own address, usually without a `Vary` in the answer.
 */
export const NEGOTIATION_HEADERS = [
  'x-requested-with',
  'x-pjax',
  'x-inertia',
  'x-livewire',
  'hx-request',
  'turbo-frame',
] as const

/** Whether the path matches a pattern: exact, or a prefix ending in `*`; spelled out or percent-encoded. */
export const isExcluded = (path: string, patterns: readonly string[]): boolean => {
  if (patterns.length === 0) return false
  const spellings = [path, decoded(path)]
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

/** Why this request goes to the origin whatever is stored, or null. `path` is the origin's. */
export const requestBypass = (
  request: Request,
  path: string,
  rule: CacheRule,
): BypassReason | null => {
  const { method, headers } = request
  if (method !== 'GET' && method !== 'HEAD') return 'method'
  if (isExcluded(path, rule.exclude)) return 'excluded'
  if (headers.has('upgrade')) return 'upgrade'
  if (request.body !== null || headers.has('transfer-encoding')) return 'body'
  if (Number(headers.get('content-length') ?? 0) !== 0) return 'body'
  if (request.url.includes('?')) return 'query'
  if (headers.has('authorization')) return 'authorization'
  if (hasBypassCookie(headers.get('cookie'), rule.bypass_cookies)) return 'cookie'
  if (NEGOTIATION_HEADERS.some((name) => headers.has(name))) return 'header'
  if (!admitsHtml(headers.get('accept'))) return 'accept'
  return null
}

/** Whether the request is conditional or for a part: it never starts a shared fill. */
export const isPartial = (headers: Headers): boolean =>
  headers.has('range') ||
  headers.has('if-none-match') ||
  headers.has('if-modified-since') ||
  headers.has('if-match') ||
  headers.has('if-unmodified-since')

/** How long an answer may be kept, from now; or why it may not. */
export type StoreVerdict = { ttlSecs: number; ageSecs: number } | UncacheableReason

/**
 * Rules for answers (RFC 9111, 3, narrowed by ours): 200, HTML, for everybody,
 * fresh. `ttlSecs` is the virtual host's; the origin can only shorten it.
 */
export const responseVerdict = (
  response: Response,
  ttlSecs: number,
  nowMs: number,
): StoreVerdict => {
  const { headers } = response
  if (response.status !== 200) return 'status'
  const type = (headers.get('content-type') ?? '').split(';', 1)[0] ?? ''
  if (type.trim().toLowerCase() !== 'text/html') return 'content-type'
  if (headers.has('set-cookie')) return 'set-cookie'
  const control = parseCacheControl(headers.get('cache-control'))
  for (const reason of ['private', 'no-store', 'no-cache'] as const) {
    if (control.has(reason)) return reason
  }
  if (control.size === 0 && /no-cache/i.test(headers.get('pragma') ?? '')) return 'no-cache'
  const vary = (headers.get('vary') ?? '').toLowerCase().split(',')
  if (vary.some((name) => !['', 'accept-encoding'].includes(name.trim()))) return 'vary'
  if (!isStorableCoding(codingOf(headers))) return 'encoding'

  const ageSecs = seconds(headers.get('age')) ?? 0
  const allowed = seconds(control.get('s-maxage')) ?? seconds(control.get('max-age'))
  const declared = control.has('s-maxage') || control.has('max-age')
  // An unreadable limit is no permission (RFC 9111, 4.2.1).
  const lifetime = declared ? (allowed ?? 0) - ageSecs : expiresIn(headers, nowMs)
  const left = Math.min(ttlSecs, lifetime)
  return left > 0 ? { ttlSecs: left, ageSecs } : 'expired'
}

/** Seconds until `Expires`; without limit when there is none, 0 when it is no date. */
const expiresIn = (headers: Headers, nowMs: number): number => {
  const expires = headers.get('expires')
  if (expires === null) return Infinity
  const date = Date.parse(headers.get('date') ?? '')
  const untilMs = Date.parse(expires) - (Number.isNaN(date) ? nowMs : date)
  return Number.isNaN(untilMs) ? 0 : untilMs / 1000
}
