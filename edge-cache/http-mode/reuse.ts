import { ageSecs } from '../entry/entry.ts'
import type { CacheEntry } from '../types.ts'
import { responseDirectives, type Directives } from './directives.ts'

/** Directives of a stored response. */
export const storedDirectives = (entry: CacheEntry): Directives =>
  responseDirectives((wanted) => entry.headers.find(([name]) => name === wanted)?.[1] ?? null)

/** Seconds since an entry stopped being fresh, begun ones in full; negative while it is. */
const staleForSecs = (entry: CacheEntry, nowMs: number): number =>
  Math.ceil((nowMs - (entry.http?.freshUntilMs ?? 0)) / 1000)

/** Whether the origin forbids stale responses outright (RFC 9111, 4.2.4). */
const neverStale = (control: Directives): boolean =>
  control.bare('no-cache') || control.has('must-revalidate') || control.has('proxy-revalidate')

/**
 * What may be done with a stored response: `serve` it; `stale`: serve it though it
 * is stale, as the client allows; `refresh`: serve it stale and ask the origin
 * behind the client's back; `validate`: ask the origin first.
 */
export type Reuse = 'serve' | 'stale' | 'refresh' | 'validate'

/**
 * RFC 9111, 4 and 5.2.1, RFC 5861. `s-maxage` alone also forbids stale responses
 * that only the client asks for; where the origin itself allows them by
 * `stale-while-revalidate` beside it, its wish counts. `softPurged` makes the
 * entry stale whatever its age.
 */
export const reuseOf = (
  entry: CacheEntry,
  request: Directives,
  nowMs: number,
  softPurged: boolean,
): Reuse => {
  const control = storedDirectives(entry)
  if (request.has('no-cache') || control.bare('no-cache')) return 'validate'
  const maxAge = request.secs('max-age')
  const tooOld = maxAge !== undefined && ageSecs(entry, nowMs) > (maxAge ?? 0)
  const forSecs = staleForSecs(entry, nowMs)
  const minFresh = request.secs('min-fresh') ?? 0
  const fresh = !softPurged && nowMs < (entry.http?.freshUntilMs ?? 0)
  if (fresh) return tooOld || -forSecs < minFresh ? 'validate' : 'serve'
  if (neverStale(control) || tooOld || minFresh > 0) return 'validate'
  if (request.has('max-stale') && !control.has('s-maxage') && !softPurged) {
    const maxStale = request.bare('max-stale') ? Infinity : (request.secs('max-stale') ?? 0)
    if (forSecs <= maxStale) return 'stale'
  }
  const window = control.secs('stale-while-revalidate') ?? 0
  return window > 0 && forSecs <= window ? 'refresh' : 'validate'
}

/** Whether a stale response may stand in for an error of the origin (RFC 5861, 4); either side may allow it. */
export const servesOnError = (entry: CacheEntry, request: Directives, nowMs: number): boolean => {
  const control = storedDirectives(entry)
  if (neverStale(control) || request.has('no-cache')) return false
  const window = Math.max(
    control.secs('stale-if-error') ?? 0,
    control.has('s-maxage') ? 0 : (request.secs('stale-if-error') ?? 0),
  )
  return window > 0 && staleForSecs(entry, nowMs) <= window
}
