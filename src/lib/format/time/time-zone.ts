import { timestampMs } from '#handlers/domain/text/timestamp.ts'

export const TIME_ZONE_COOKIE = 'berth_time_zone'

/** The zone of whoever chose none: what the API, logs and days of figures are in. */
export const USUAL_ZONE = 'UTC'

let current: () => string = () => USUAL_ZONE

/** Says where the time zone of the moment comes from, as `provideTexts` does for the language. */
export const provideTimeZone = (source: () => string): void => {
  current = source
}

/** The time zone (IANA name) in which the panel shows times to who looks at it. */
export const timeZone = (): string => current()

/** The zone that a cookie names, else the usual one. */
export const chooseTimeZone = (cookie: string | undefined): string => {
  if (cookie === undefined || !/^[\w+-]{1,20}(\/[\w+-]{1,20}){0,2}$/.test(cookie)) return USUAL_ZONE
  try {
    return new Intl.DateTimeFormat('en', { timeZone: cookie }).resolvedOptions().timeZone
  } catch {
    return USUAL_ZONE
  }
}

/** Keeps the choice for a year and shows the panel in it. */
export const applyTimeZone = (zone: string): void => {
  document.cookie = `${TIME_ZONE_COOKIE}=${zone}; Path=/; Max-Age=31536000; SameSite=Strict`
  location.reload()
}

const partsOf = (atMs: number, zone: string): Record<string, string> =>
  Object.fromEntries(
    new Intl.DateTimeFormat('en-GB', {
      ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
      ...{ timeZone: zone, timeZoneName: 'short' },
    })
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  )

/** A time of the API by the clock of the chosen zone, e.g. `2026-11-25 23:31:05`; '' for ''. */
export const zoned = (timestamp: string, zone = timeZone()): string => {
  if (zone === USUAL_ZONE) return timestamp
  const atMs = timestampMs(timestamp)
  if (Number.isNaN(atMs)) return timestamp
  const { year, month, day, hour, minute, second } = partsOf(atMs, zone)
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}

/** What the zone is called at a time, e.g. `CET`, `GMT-3`, `UTC`. */
export const zoneName = (atMs: number, zone = timeZone()): string =>
  zone === USUAL_ZONE ? USUAL_ZONE : (partsOf(atMs, zone).timeZoneName ?? zone)

/** A time of the API in full, for the title beside a relative one: `2026-11-25 23:31:05 CET`. */
export const moment = (timestamp: string): string => {
  const atMs = timestampMs(timestamp)
  return Number.isNaN(atMs) ? timestamp : `${zoned(timestamp)} ${zoneName(atMs)}`
}

/**
 * The time of the API (UTC) that the clock of the chosen zone shows as `local`; of an hour that
 * comes twice the earlier one.
 */
export const unzoned = (local: string, zone = timeZone()): string => {
  const wantedMs = timestampMs(local)
  if (zone === USUAL_ZONE || Number.isNaN(wantedMs)) return local
  const offsetMs = (atMs: number): number => timestampMs(zoned(stamp(atMs), zone)) - atMs
  const tried = [wantedMs - 86_400_000, wantedMs + 86_400_000].map(
    (atMs) => wantedMs - offsetMs(atMs),
  )
  const right = tried.toSorted((a, b) => a - b).find((atMs) => zoned(stamp(atMs), zone) === local)
  return stamp(right ?? Math.max(...tried))
}

const stamp = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
