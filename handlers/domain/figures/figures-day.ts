const DAY_MS = 86_400_000

/** Days since 1970 (UTC), as whole numbers. */
export const dayNumber = (nowMs: number): number => Math.floor(nowMs / DAY_MS)

/** `2026-11-24` of a day's number. */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The number of a day as `dayText` writes it; null for any other text, and for days that are not. */
export const dayOfText = (text: string): number | null => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const ms = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(ms) || dayText(ms / DAY_MS) !== text ? null : ms / DAY_MS
}

/** Days are kept for 13 months, so that a month can be held against that of the year before. */
export const KEPT_DAYS = 400
