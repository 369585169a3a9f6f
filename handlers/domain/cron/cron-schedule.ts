import { Cron } from 'croner'

/** When a job is due: five fields as of crontab(5), or `@hourly` and the like, in a time zone. */
export interface CronSchedule {
  /** E.g. `15 3 * * mon-fri`. */
  schedule: string
  /** IANA name, e.g. `Europe/Berlin`. */
  timeZone: string
}

const MAX_CHARACTERS = 200
const FIELD = '[0-9A-Za-z*,/#?-]{1,80}'
const FIELDS = new RegExp(`^${FIELD}(?: ${FIELD}){4}$`)
const NICKNAME = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i
const HOW =
  'Write five fields (minute, hour, day of the month, month, day of the week), e.g. "15 3 * * mon-fri", or @hourly, @daily, @weekly, @monthly, @yearly.'

/** One blank between fields, none around them. */
export const tidySchedule = (text: string): string =>
  text
    .slice(0, MAX_CHARACTERS + 1)
    .split(/[ \t]+/)
    .filter((part) => part !== '')
    .join(' ')

const open = ({ schedule, timeZone }: CronSchedule): Cron =>
  new Cron(schedule, { paused: true, timezone: timeZone, mode: '5-part' })

/** Why it is no schedule; null where it is one that comes true some day. */
export const scheduleFault = (text: string): string | null => {
  const schedule = tidySchedule(text)
  if (!NICKNAME.test(schedule) && !FIELDS.test(schedule)) return `is not a schedule. ${HOW}`
  try {
    return open({ schedule, timeZone: 'UTC' }).nextRun() === null
      ? 'never comes true, e.g. since no month of it has such a day. Choose another day or month.'
      : null
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    return `is not a schedule (${why.slice(0, 120)}). ${HOW}`
  }
}

/** Whether there is a time zone of that name. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,49}$/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

/** Unix ms of the next minutes in which it is due, after `fromMs`; fewer where there are no more. */
export const nextRuns = (of: CronSchedule, fromMs: number, count: number): number[] =>
  open(of)
    .nextRuns(count, new Date(fromMs))
    .map((date) => date.getTime())
