import { seconds } from '../fields/cache-control.ts'
import { parseHttpDate } from '../fields/http-date.ts'

/** Seconds of an Age field: its first member; an unreadable one is ignored (RFC 9111, 5.1). */
export const ageValueSecs = (headers: Headers): number =>
  seconds((headers.get('age') ?? '').split(',', 1)[0]) ?? 0

/**
 * `corrected_initial_age` (RFC 9111, 4.2.3), in seconds: how old a response was
 * when it arrived. `askedAtMs` is when the origin was asked, `answeredAtMs` when
 * the head of its response was there.
 */
export const initialAgeSecs = (
  headers: Headers,
  askedAtMs: number,
  answeredAtMs: number,
): number => {
  const dateMs = parseHttpDate(headers.get('date'), answeredAtMs) ?? answeredAtMs
  const apparent = Math.max(0, Math.floor((answeredAtMs - dateMs) / 1000))
  const delay = Math.max(0, Math.floor((answeredAtMs - askedAtMs) / 1000))
  return Math.max(apparent, ageValueSecs(headers) + delay)
}
