import type { UncacheableReason } from '../policy/policy.ts'
import type { Directives } from './directives.ts'
import { HEURISTIC_STATUSES, type Freshness } from './freshness.ts'
import { varyNames } from './vary.ts'

/** Why a response is not stored; `detail` of Cache-Status. */
export type NotStorable = UncacheableReason | 'authorization' | 'request' | 'nothing-to-reuse'

/** Statuses whose rules of caching are known here, for `must-understand`. */
const UNDERSTOOD: ReadonlySet<number> = new Set([
  ...HEURISTIC_STATUSES,
  302,
  303,
  307,
  400,
  401,
  403,
  406,
  409,
  411,
  413,
  415,
  421,
  422,
  423,
  424,
  428,
  429,
  431,
  451,
  500,
  502,
  503,
  504,
])

/** Permission to keep and reuse responses to requests with Authorization (RFC 9111, 3.5). */
export const allowsAuthorized = (control: Directives): boolean =>
  control.has('public') || control.has('must-revalidate') || control.has('s-maxage')

const hasSetCookie = (headers: Headers, control: Directives): boolean =>
  headers.has('set-cookie') &&
  !control.has('public') &&
  ![...control.fields('private'), ...control.fields('no-cache')].includes('set-cookie')

/**
 * Why a response to GET is not stored in this shared cache (RFC 9111, 3), or null.
 *
 * Narrower than the standard in two places: a response with Set-Cookie is stored
 * only where the origin says `public`, or takes the cookie out by
 * `private="set-cookie"`; and one that is neither fresh for any time nor can be
 * revalidated is of no use to anybody.
 */
export const notStorable = (
  request: { headers: Headers; control: Directives },
  response: { status: number; headers: Headers; control: Directives },
  freshness: Freshness,
): NotStorable | null => {
  const { status, headers, control } = response
  if (request.control.has('no-store')) return 'request'
  if (status < 200 || status > 599 || status === 206 || status === 304) return 'status'
  if (control.has('must-understand')) {
    if (!UNDERSTOOD.has(status)) return 'status'
  } else if (control.has('no-store')) return 'no-store'
  if (control.bare('private')) return 'private'
  if (request.headers.has('authorization') && !allowsAuthorized(control)) return 'authorization'
  if (varyNames(headers) === null) return 'vary'
  if (hasSetCookie(headers, control)) return 'set-cookie'
  const permitted = freshness.explicit || control.has('public') || HEURISTIC_STATUSES.has(status)
  if (!permitted) return 'status'
  const validates = headers.has('etag') || headers.has('last-modified')
  return freshness.lifetimeSecs > 0 || validates ? null : 'nothing-to-reuse'
}
