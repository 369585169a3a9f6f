import { timestamp, timestampMs } from '../text/timestamp.ts'
import type { ProofType } from '../../ports/store/column-types.ts'
import type { PlannedRenewal } from '../../ports/host/certificates.ts'

const DAY_MS = 86_400_000
/** A certificate is renewed, and shown as expiring, in its last days. */
const RENEWAL_WINDOW_DAYS = 30
/** From one look at what is due to the next. */
const NEXT_LOOK_MS = DAY_MS + DAY_MS / 24

/** What the time makes of a certificate. */
export interface CertificateAge {
  /** Whole days; negative once it has expired. */
  days_remaining: number
  status: 'valid' | 'expiring_soon' | 'expired'
  /** Whether the next automatic renewal takes it. */
  renewal_due: boolean
  /** When that will be; null: it is not renewed by itself. */
  renews_at: string | null
}

/** What is looked at of a certificate. */
interface Aged {
  expires_at: string
  source: 'acme' | 'uploaded'
  renewal?: PlannedRenewal | null
  challenge?: ProofType | null
}

/** Whether nobody has to do anything for a new one: what was uploaded, or is proved by hand, needs its owner. */
export const renewsItself = ({ source, challenge = null }: Pick<Aged, 'source' | 'challenge'>) =>
  source === 'acme' && challenge !== 'by-hand'

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

/**
 * What the time makes of a certificate; `expires_at` is UTC, `YYYY-MM-DD HH:MM:SS`. It is renewed
 * when its authority wants it (before the look that would come too late for that), else in its last
 * 30 days; in any case before it expires.
 */
export const certificateAge = (
  { expires_at, source, renewal = null, challenge = null }: Aged,
  nowMs: number,
): CertificateAge => {
  const isRenewed = renewsItself({ source, challenge })
  const expiresMs = timestampMs(expires_at)
  const leftMs = expiresMs - nowMs
  const isEnding = leftMs <= RENEWAL_WINDOW_DAYS * DAY_MS
  const wantedMs =
    renewal === null ? expiresMs - RENEWAL_WINDOW_DAYS * DAY_MS : timestampMs(renewal.at)
  const isWanted =
    renewal === null ? isEnding : Math.min(wantedMs, expiresMs - DAY_MS) - NEXT_LOOK_MS <= nowMs
  return {
    days_remaining: Math.floor(leftMs / DAY_MS),
    status: leftMs <= 0 ? 'expired' : isEnding ? 'expiring_soon' : 'valid',
    renewal_due: isRenewed && isWanted,
    renews_at: isRenewed ? timestamp(wantedMs) : null,
  }
}

/** Renewals begin thirty days before the end and are tried daily: with so few left, several failed. */
const LATE_DAYS = 26
/** The same where the authority says when: a look at it, and one more, have passed. */
const LATE_MS = 1.5 * NEXT_LOOK_MS

/** Whether a renewal should have been long ago. Those of a few days are always near their end. */
export const isRenewalLate = (row: Aged, nowMs: number): boolean => {
  const { days_remaining, renewal_due } = certificateAge(row, nowMs)
  const { renewal = null } = row
  if (renewal === null) return renewal_due && days_remaining <= LATE_DAYS
  return renewal_due && nowMs - timestampMs(renewal.at) > LATE_MS
}
