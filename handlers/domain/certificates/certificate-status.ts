import { timestamp, timestampMs } from '../text/timestamp.ts'

const DAY_MS = 86_400_000
/** A certificate is renewed, and shown as expiring, in its last days. */
const RENEWAL_WINDOW_DAYS = 30

/** What the time makes of a certificate. */
export interface CertificateAge {
  /** Whole days; negative once it has expired. */
  days_remaining: number
  status: 'valid' | 'expiring_soon' | 'expired'
  /** Whether the next automatic renewal takes it. */
  renewal_due: boolean
}

/**
 * When certificates of a status expire, as `expires_after` (exclusive) and
 * `expires_until` (inclusive), UTC; the other way round of `certificateAge`.
 */
export const expiryOf = (status: string, nowMs: number): Record<string, string> => {
  const now = timestamp(nowMs)
  const windowEnd = timestamp(nowMs + RENEWAL_WINDOW_DAYS * DAY_MS)
  if (status === 'expired') return { expires_until: now }
  if (status === 'expiring_soon') return { expires_after: now, expires_until: windowEnd }
  return { expires_after: windowEnd }
}

/** What the time makes of a certificate; `expires_at` is UTC, `YYYY-MM-DD HH:MM:SS`. */
export const certificateAge = (
  { expires_at, source }: { expires_at: string; source: 'acme' | 'uploaded' },
  nowMs: number,
): CertificateAge => {
  const leftMs = timestampMs(expires_at) - nowMs
  const isEnding = leftMs <= RENEWAL_WINDOW_DAYS * DAY_MS
  return {
    days_remaining: Math.floor(leftMs / DAY_MS),
    status: leftMs <= 0 ? 'expired' : isEnding ? 'expiring_soon' : 'valid',
    renewal_due: source === 'acme' && isEnding,
  }
}
