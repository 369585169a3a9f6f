/** How full a quota is, as far as people are told. */
export type QuotaLevel = '80' | '95' | 'full'

/** Below this a trouble is over; between this and 80 it stands if it stood, so that it is not told again and again. */
const OVER_PERCENT = 75

/**
 * The level of `used` of `quota` (same unit); null: none. `stood`: whether there was one until
 * now. A quota of 0 or less has none.
 */
export const quotaLevel = (used: number, quota: number, stood: boolean): QuotaLevel | null => {
  if (quota <= 0) return null
  const percent = (used / quota) * 100
  if (percent >= 100) return 'full'
  if (percent >= 95) return '95'
  if (percent >= 80 || (stood && percent >= OVER_PERCENT)) return '80'
  return null
}
