import { seconds } from '../fields/cache-control.ts'
import { parseHttpDate } from '../fields/http-date.ts'

/** Seconds of an Age field: its first member; an unreadable one is ignored (RFC 9111, 5.1). */
export const ageValueSecs = (headers: Headers): number =>
  seconds((headers.get('age') ?? '').split(',', 1)[0]) ?? 0

/**
 * `corrected_initial_age` (RFC 9111, 4.2.3), in seconds: how old a response was
 * when it arrived. `askedAtMs` is when the origin was asked, `respondedAtMs` when
 * the head of its response was there.
 */
export const initialAgeSecs = (
  headers: Headers,
  askedAtMs: number,
  respondedAtMs: number,
): number => {
  const dateMs = parseHttpDate(headers.get('date'), respondedAtMs) ?? respondedAtMs
  const apparent = Math.max(0, Math.floor((respondedAtMs - dateMs) / 1000))
  const delay = Math.max(0, Math.floor((respondedAtMs - askedAtMs) / 1000))
  return Math.max(apparent, ageValueSecs(headers) + delay)
}
