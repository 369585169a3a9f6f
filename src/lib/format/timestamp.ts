import { nowMs } from '../state/now-ms.ts'
import { texts } from '../texts/index.ts'

const STEPS: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [2_592_000, 'day'],
  [31_536_000, 'month'],
]
const SIZES: Record<string, number> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  month: 2_592_000,
  year: 31_536_000,
}

/** The API's `YYYY-MM-DD HH:MM:SS` (UTC) as milliseconds since the epoch. */
export const timestampMs = (timestamp: string): number =>
  Date.parse(`${timestamp.replace(' ', 'T')}Z`)

/** e.g. `4 minutes ago`, and a minute later 5; the absolute time belongs into a title beside it. */
export const relativeTime = (timestamp: string, atMs = nowMs()): string => {
  const secs = Math.round((timestampMs(timestamp) - atMs) / 1000)
  const unit = STEPS.find(([limit]) => Math.abs(secs) < limit)?.[1] ?? 'year'
  return new Intl.RelativeTimeFormat(texts.locale, { numeric: 'auto' }).format(
    Math.trunc(secs / (SIZES[unit] ?? 1)),
    unit,
  )
}
