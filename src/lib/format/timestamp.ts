import { timestampMs } from '#handlers/domain/text/timestamp.ts'
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

/** e.g. `4 minutes ago`, and a minute later 5; the absolute time belongs into a title beside it. */
export const relativeTime = (timestamp: string, atMs = nowMs()): string => {
  const secs = Math.round((timestampMs(timestamp) - atMs) / 1000)
  // An age is in whole steps that are over; what is to come has lost a part of its last one already.
  const whole = secs > 0 ? Math.round : Math.trunc
  const inSteps = (unit: string): number => whole(secs / (SIZES[unit] ?? 1))
  const unit =
    STEPS.find(([limit, one]) => Math.abs(inSteps(one)) * (SIZES[one] ?? 1) < limit)?.[1] ?? 'year'
  return new Intl.RelativeTimeFormat(texts.locale, { numeric: 'auto' }).format(inSteps(unit), unit)
}

export { timestampMs }
