/** A schedule of the kinds that people name by words. Times are `HH:MM`. */
export type ScheduleChoice =
  | { every: 'minutes'; count: number }
  | { every: 'hours'; count: number; minute: number }
  | { every: 'day'; time: string }
  /** Days as numbers, Sunday is 0; in order from Monday on. */
  | { every: 'week'; days: number[]; time: string }
  | { every: 'month'; day: number; time: string }

const NICKNAMES: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
}
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const SUNDAY_LAST = 7

const numberOf = (field: string, least: number, most: number): number | null => {
  const value = /^\d{1,2}$/.test(field) ? Number(field) : -1
  return value >= least && value <= most ? value : null
}

/** `*` is 1. Others than divisors of `whole` do not come evenly: they have no plain words. */
const stepOf = (field: string, whole: number): number | null => {
  if (field === '*') return 1
  const [, digits] = /^\*\/(\d{1,2})$/.exec(field) ?? []
  const step = Number(digits ?? 0)
  return step > 0 && step < whole && whole % step === 0 ? step : null
}

/** Monday is 1, Sunday 7, so that a range may end with it. */
const weekday = (text: string): number | null => {
  const named = DAYS.indexOf(text.toLowerCase())
  const day = named === -1 ? numberOf(text, 0, SUNDAY_LAST) : named
  return day === 0 ? SUNDAY_LAST : day
}

const weekdays = (field: string): number[] | null => {
  const all = new Set<number>()
  for (const part of field.split(',')) {
    const [first = '', last = first, ...rest] = part.split('-')
    const from = weekday(first)
    const to = weekday(last)
    if (from === null || to === null || from > to || rest.length > 0) return null
    for (let day = from; day <= to; day += 1) all.add(day)
  }
  return [...all].sort((a, b) => a - b).map((day) => day % SUNDAY_LAST)
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** What a schedule says in the words of `ScheduleChoice`; null where it says more than these can. */
export const readSchedule = (schedule: string): ScheduleChoice | null => {
  const fields = (NICKNAMES[schedule.toLowerCase()] ?? schedule).split(' ')
  if (fields.length !== 5) return null
  const [minutes = '', hours = '', day = '', month = '', week = ''] = fields
  if (month !== '*') return null
  const everyDay = day === '*' && week === '*'
  if (everyDay && hours === '*') {
    const count = stepOf(minutes, 60)
    if (count !== null) return { every: 'minutes', count }
  }
  const minute = numberOf(minutes, 0, 59)
  if (minute === null) return null
  if (everyDay) {
    const count = stepOf(hours, 24)
    if (count !== null) return { every: 'hours', count, minute }
  }
  const hour = numberOf(hours, 0, 23)
  if (hour === null) return null
  const time = `${twoDigits(hour)}:${twoDigits(minute)}`
  if (everyDay) return { every: 'day', time }
  const days = day === '*' ? weekdays(week) : null
  if (days !== null) return { every: 'week', days, time }
  const monthDay = week === '*' ? numberOf(day, 1, 31) : null
  return monthDay === null ? null : { every: 'month', day: monthDay, time }
}
