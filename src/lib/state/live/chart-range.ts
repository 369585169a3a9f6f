import type { HistoryRange } from '$lib/api/types'

export const RANGES: readonly HistoryRange[] = ['15m', '1h', '24h', '7d']

export const RANGE_COOKIE = 'berth_range'

/** The range that a cookie names; `fallback` where it names none. */
export const parseRange = (value: string | undefined, fallback: HistoryRange): HistoryRange =>
  RANGES.find((range) => range === value) ?? fallback

/** Keeps the chosen range of all charts of the host for a year. */
export const rememberRange = (range: HistoryRange): void => {
  document.cookie = `${RANGE_COOKIE}=${range}; Path=/; Max-Age=31536000; SameSite=Strict`
}
