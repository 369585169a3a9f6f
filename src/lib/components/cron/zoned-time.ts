import { timestampMs } from '$lib/format/timestamp'
import { texts } from '$lib/texts'

/** A time of the API by the clock of a time zone, e.g. `Tue, 24 Nov 2026, 03:15`. */
export const zonedTime = (timestamp: string, timeZone: string): string =>
  new Intl.DateTimeFormat(texts.locale === 'en' ? 'en-GB' : texts.locale, {
    weekday: 'short',
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(timestampMs(timestamp))
