import type { CronJob } from '../../api/types.ts'
import { readSchedule } from '../../format/schedule-choice.ts'

/** By what a schedule is chosen; `text`: by its five fields. */
export type Every = 'minutes' | 'hour' | 'day' | 'week' | 'month' | 'text'

/** Divisors of an hour: only they come evenly. */
export const COUNTS = ['1', '2', '3', '4', '5', '6', '10', '12', '15', '20', '30']
export const WORKDAYS = '1-5'
/** From Monday on, as a schedule has them. */
export const WEEKDAYS = ['1', '2', '3', '4', '5', '6', '0']

const USUAL = { count: '5', minute: '0', time: '03:00', weekday: '1', day: '1' }

/** What the controls hold that a schedule is chosen by. */
const choiceOf = (schedule: string): typeof USUAL & { every: Every } => {
  const choice = readSchedule(schedule)
  const text = { ...USUAL, every: 'text' as const }
  switch (choice?.every) {
    case 'minutes':
      return { ...USUAL, every: 'minutes', count: String(choice.count) }
    case 'hours':
      return choice.count === 1 ? { ...USUAL, every: 'hour', minute: String(choice.minute) } : text
    case 'day':
      return { ...USUAL, every: 'day', time: choice.time }
    case 'week': {
      const weekday = choice.days.join() === '1,2,3,4,5' ? WORKDAYS : choice.days.join()
      const offered = weekday === WORKDAYS || WEEKDAYS.includes(weekday)
      return offered ? { ...USUAL, every: 'week', weekday, time: choice.time } : text
    }
    case 'month':
      return { ...USUAL, every: 'month', day: String(choice.day), time: choice.time }
    case undefined:
      return text
  }
}

/** A job's settings as one types them; of a program one argument a line. */
export const cronForm = (job: CronJob | null, accountId: string, timeZone: string) => ({
  account_id: accountId,
  name: job?.name ?? '',
  ...choiceOf(job?.schedule ?? '*/5 * * * *'),
  schedule: job?.schedule ?? '*/5 * * * *',
  time_zone: job?.time_zone ?? timeZone,
  kind: job?.kind ?? ('shell' as CronJob['kind']),
  command: typeof job?.command === 'object' ? job.command.join('\n') : (job?.command ?? ''),
  time_limit_secs: String(job?.time_limit_secs ?? 3600),
  overlap: job?.overlap ?? ('skip' as CronJob['overlap']),
  notify_after: String(job?.notify_after ?? 3),
})

export type CronForm = ReturnType<typeof cronForm>

/** A whole number within bounds; null where the text is none. */
export const wholeOf = (text: string, least: number, most: number): number | null => {
  const value = /^\d{1,9}$/.test(text.trim()) ? Number(text) : -1
  return value >= least && value <= most ? value : null
}

export const isTime = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text)

/** The schedule that is chosen; null while it is not whole. */
export const chosenSchedule = (values: CronForm): string | null => {
  const { every, count } = values
  if (every === 'text') return values.schedule.trim() || null
  if (every === 'minutes') return count === '1' ? '* * * * *' : `*/${count} * * * *`
  if (every === 'hour') {
    const minute = wholeOf(values.minute, 0, 59)
    return minute === null ? null : `${minute} * * * *`
  }
  if (!isTime(values.time)) return null
  const [hour, minute] = values.time.split(':').map(Number)
  if (every === 'day') return `${minute} ${hour} * * *`
  if (every === 'week') return `${minute} ${hour} * * ${values.weekday}`
  const day = wholeOf(values.day, 1, 31)
  return day === null ? null : `${minute} ${hour} ${day} * *`
}

const argumentsOf = (text: string): string[] => {
  const lines = text.split(/\r?\n/)
  while (lines.at(-1) === '') lines.pop()
  return lines
}

/** What the API is told of the command; an argument with a line break stays whole while nobody edits it. */
const commandOf = ({ kind, command }: CronForm, job: CronJob | null): CronJob['command'] => {
  if (kind !== 'command') return command.trim()
  const untouched = typeof job?.command === 'object' && job.command.join('\n') === command
  return untouched ? job.command : argumentsOf(command)
}

/** A job as the API takes it. */
export const cronBody = (values: CronForm, job: CronJob | null) => ({
  name: values.name.trim(),
  schedule: chosenSchedule(values) ?? '',
  time_zone: values.time_zone,
  kind: values.kind,
  command: commandOf(values, job),
  time_limit_secs: Number(values.time_limit_secs),
  overlap: values.overlap,
  notify_after: Number(values.notify_after),
})
