import type { Directives } from './directives.ts'
import { parseHttpDate } from '../fields/http-date.ts'

/** Statuses that may be kept without explicit permission (RFC 9110, 15.1); 206 is never stored whole. */
export const HEURISTIC_STATUSES: ReadonlySet<number> = new Set([
  200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501,
])

/** How long a response is fresh, and whether the origin said so itself. */
export interface Freshness {
  lifetimeSecs: number
  explicit: boolean
}

/**
 * Freshness lifetime of a response in a shared cache (RFC 9111, 4.2.1): s-maxage,
 * max-age, Expires less Date (not beside a targeted field, RFC 9213, 2.2); a value
 * that cannot be read is 0. Without any of them `defaultSecs` (the virtual host's
 * `ttl`, by default 0) is what 4.2.2 calls heuristic: only where the status or
 * `public` permits it.
 */
export const freshnessOf = (
  response: { status: number; headers: Headers; control: Directives },
  defaultSecs: number,
  respondedAtMs: number,
): Freshness => {
  const { status, headers, control } = response
  for (const name of ['s-maxage', 'max-age']) {
    const secs = control.secs(name)
    if (secs !== undefined) return { lifetimeSecs: secs ?? 0, explicit: true }
  }
  const expires = control.targeted ? null : headers.get('expires')
  if (expires !== null) {
    const untilMs = parseHttpDate(expires, respondedAtMs)
    const dateMs = parseHttpDate(headers.get('date'), respondedAtMs) ?? respondedAtMs
    const lifetimeSecs = untilMs === null ? 0 : Math.max(0, Math.floor((untilMs - dateMs) / 1000))
    return { lifetimeSecs, explicit: true }
  }
  const permitted = HEURISTIC_STATUSES.has(status) || control.has('public')
  return { lifetimeSecs: permitted ? defaultSecs : 0, explicit: false }
}
