const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const IMF = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([a-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/i
const RFC850 =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-([a-z]{3})-(\d\d) (\d\d):(\d\d):(\d\d) GMT$/i
const ASCTIME =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([a-z]{3}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/i

/** A two-digit year more than 50 years ahead is the last one with these digits (RFC 9110, 5.6.7). */
const fullYear = (digits: number, nowMs: number): number => {
  const now = new Date(nowMs).getUTCFullYear()
  const year = now - (now % 100) + digits
  return year > now + 50 ? year - 100 : year
}

/**
 * Milliseconds of an HTTP date in one of its three forms (RFC 9110, 5.6.7);
 * null for everything else, however readable: a cache takes it for the past. Names
 * of days, months and the zone count in any case (RFC 9111, 4.2).
 */
export const parseHttpDate = (text: string | null, nowMs: number): number | null => {
  const value = text?.trim() ?? ''
  const common = IMF.exec(value) ?? RFC850.exec(value)
  const old = common ? null : ASCTIME.exec(value)
  const parts = common
    ? [common[3], common[2], common[1], common[4], common[5], common[6]]
    : old && [old[6], old[1], old[2], old[3], old[4], old[5]]
  if (!parts) return null
  const [yearText = '', monthName = '', ...rest] = parts
  const month = MONTHS.indexOf(monthName.toLowerCase())
  const [day = 0, hour = 0, minute = 0, second = 0] = rest.map(Number)
  if (month === -1 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return null
  const year = yearText.length === 2 ? fullYear(Number(yearText), nowMs) : Number(yearText)
  return Date.UTC(year, month, day, hour, minute, second)
}
