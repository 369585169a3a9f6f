/**
 * From when on tokens of a user count, once all up to now are revoked. Always
 * later than before: a token of this second that a revocation of this second let
 * through must not outlive the next.
 */
export const nextNotBefore = (user: { not_before_secs: number }, nowSecs: number): number =>
  Math.max(nowSecs, user.not_before_secs) + 1
