import type { BackupSchedule } from '$lib/api/types'
import { texts } from '$lib/texts'

export const RULES = ['last', 'hourly', 'daily', 'weekly', 'monthly'] as const

/** A schedule as one enters it; `from` empty: any time. */
export type ScheduleForm = Record<
  (typeof RULES)[number] | 'what' | 'every' | 'from' | 'to',
  string
> & {
  local: boolean
  /** Names, separated by commas; empty: none. */
  target: string
}

const USUAL: BackupSchedule = {
  what: 'archive',
  every_hours: 24,
  window: { from: 2, to: 5 },
  places: ['local'],
  retention: { last: 0, hourly: 0, daily: 7, weekly: 4, monthly: 6 },
}

/** What is entered at first: what holds now, or where nothing does what is usual. */
export const scheduleForm = (schedule: BackupSchedule | null): ScheduleForm => {
  const { what, every_hours, window, places, retention } =
    schedule === null || schedule.what === 'none' ? USUAL : schedule
  return {
    what: schedule?.what === 'none' ? 'none' : what,
    every: String(every_hours),
    from: window === null ? '' : String(window.from),
    to: String(window?.to ?? 5),
    local: places.includes('local'),
    target: places.filter((place) => place !== 'local').join(','),
    last: String(retention.last),
    hourly: String(retention.hourly),
    daily: String(retention.daily),
    weekly: String(retention.weekly),
    monthly: String(retention.monthly),
  }
}

/** What is wrong with a number of backups to keep, or null. */
export const countError = (text: string): string | null =>
  /^\d{1,4}$/.test(text.trim()) && Number(text) <= 1000 ? null : texts.schedule.form.badCount

/** What is wrong with the whole of it, by field. */
export const scheduleProblems = (form: ScheduleForm): Record<string, string | null> => {
  const t = texts.schedule.form
  if (form.what === 'none') return {}
  return {
    ...(form.from !== '' && form.from === form.to ? { to: t.sameHour } : {}),
    ...(!form.local && form.target === '' ? { target: t.noPlace } : {}),
    ...(RULES.every((rule) => Number(form[rule]) === 0) ? { daily: t.keepNone } : {}),
  }
}

/** The body of the API. */
export const scheduleBody = (form: ScheduleForm): object =>
  form.what === 'none'
    ? { what: 'none' }
    : {
        what: form.what,
        every_hours: Number(form.every),
        window: form.from === '' ? null : { from: Number(form.from), to: Number(form.to) },
        places: [
          ...(form.local ? ['local'] : []),
          ...form.target.split(',').filter((name) => name !== ''),
        ],
        retention: Object.fromEntries(RULES.map((rule) => [rule, Number(form[rule])])),
      }
