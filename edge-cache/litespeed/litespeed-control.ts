import { LITESPEED_CONTROL, parseCacheControl, seconds } from '../fields/cache-control.ts'

/** An application may ask for longer than the virtual host's own time, up to this. */
const MAX_ASKED_SECS = 30 * 86_400

/** Words that forbid storing, and what the cache calls the reason. */
const REFUSALS = [
  ['no-store', 'no-store'],
  ['private', 'private'],
  // One page for each visitor who shares something that is not known here.
  ['shared', 'private'],
  ['no-cache', 'no-cache'],
] as const

/** What an application says to this cache alone by `X-LiteSpeed-Cache-Control`. */
interface LiteSpeedControl {
  /** Why the response is not stored; null: it may be. */
  refusal: (typeof REFUSALS)[number][1] | null
  /** Seconds that it may be kept; null: as long as other pages of the site. */
  lifetimeSecs: number | null
  directives: ReadonlyMap<string, string>
}

/**
 * Reads `X-LiteSpeed-Cache-Control`, which stands in place of Cache-Control, Expires and
 * Pragma for what this cache keeps, and only there. Null without it, and where it says
 * nothing of storing (`no-autoflush` alone): then the other fields count.
 */
export const litespeedControl = (headers: Headers): LiteSpeedControl | null => {
  const text = headers.get(LITESPEED_CONTROL)
  if (text === null) return null
  const directives = parseCacheControl(text)
  const refusal = REFUSALS.find(([word]) => directives.has(word))?.[1] ?? null
  if (refusal !== null) return { refusal, lifetimeSecs: null, directives }
  // Such a page has holes in it that only LiteSpeed's server fills.
  if (directives.get('esi')?.toLowerCase() === 'on')
    return { refusal: 'private', lifetimeSecs: null, directives }
  const asked = directives.get('s-maxage') ?? directives.get('max-age')
  if (asked === undefined && !directives.has('public')) return null
  // An unreadable limit is no permission (RFC 9111, 4.2.1).
  const lifetimeSecs = asked === undefined ? null : Math.min(seconds(asked) ?? 0, MAX_ASKED_SECS)
  return { refusal: null, lifetimeSecs, directives }
}
