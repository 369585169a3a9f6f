import { MAX_COMMAND } from '#handlers/domain/cron/command-limit.ts'
import { duration } from '$lib/format/duration'
import { required } from '$lib/state/forms/checks'
import type { Field } from '$lib/state/forms/field'
import { texts } from '$lib/texts'
import { COUNTS, isTime, WEEKDAYS, wholeOf, WORKDAYS, type CronForm } from './cron-form'

type Fields = readonly (Field<CronForm> | false)[]

const MAX_SECS = 86_400
const MAX_FAILURES = 100
/** A Sunday, by UTC. */
const SUNDAY_MS = Date.UTC(2026, 0, 4)
const DAY_MS = 86_400_000

const weekdayName = (day: string): string =>
  new Intl.DateTimeFormat(texts.locale, { weekday: 'long', timeZone: 'UTC' }).format(
    SUNDAY_MS + Number(day) * DAY_MS,
  )

const whole = (least: number, most: number, why: string) => (text: string) =>
  wholeOf(text, least, most) === null ? why : null

const isAddress = (text: string): boolean =>
  /^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim())

const options = <Value extends string>(labels: Record<Value, string>) =>
  (Object.keys(labels) as Value[]).map((value) => ({ value, label: labels[value] }))

/** UTC first; `chosen` may be an older name that browsers do not list. */
const timeZones = (chosen: string): string[] => [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), chosen]),
]

/** By which times it runs, as chosen or as five fields. */
export const scheduleFields = ({ every, time_zone }: CronForm): Fields => {
  const t = texts.cron.form
  return [
    { name: 'every', kind: 'choice', label: t.every, options: options(t.everyChoices) },
    every === 'minutes' && {
      name: 'count',
      kind: 'choice',
      label: t.count,
      options: COUNTS.map((value) => ({ value, label: t.countChoice(Number(value)) })),
    },
    every === 'hour' && {
      name: 'minute',
      label: t.minute,
      help: t.minuteHelp,
      inputmode: 'numeric',
      check: whole(0, 59, t.minuteBad),
    },
    every === 'week' && {
      name: 'weekday',
      kind: 'choice',
      label: t.weekday,
      options: [
        ...WEEKDAYS.map((value) => ({ value, label: weekdayName(value) })),
        { value: WORKDAYS, label: t.workdays },
      ],
    },
    every === 'month' && {
      name: 'day',
      label: t.day,
      help: t.dayHelp,
      inputmode: 'numeric',
      check: whole(1, 31, t.dayBad),
    },
    ['day', 'week', 'month'].includes(every) && {
      name: 'time',
      type: 'time',
      label: t.time,
      help: t.timeHelp,
      check: (time) => (isTime(time) ? null : t.timeBad),
    },
    every === 'text' && {
      name: 'schedule',
      label: t.schedule,
      help: t.scheduleHelp,
      mono: true,
      maxlength: 200,
      check: required,
    },
    {
      name: 'time_zone',
      kind: 'choice',
      label: t.zone,
      options: timeZones(time_zone).map((value) => ({ value, label: value })),
    },
  ]
}

/** What it runs, and how it is bounded. */
export const commandFields = (values: CronForm): Fields => {
  const t = texts.cron.form
  const limit = wholeOf(values.time_limit_secs, 1, MAX_SECS)
  return [
    { name: 'kind', kind: 'choice', label: t.kind, options: options(t.kinds) },
    values.kind === 'shell' && {
      name: 'command',
      label: t.line,
      help: t.lineHelp,
      mono: true,
      maxlength: MAX_COMMAND,
      check: required,
    },
    values.kind === 'command' && {
      name: 'command',
      kind: 'lines',
      label: t.program,
      help: t.programHelp,
      placeholder: 'php\nartisan\nschedule:run',
      check: required,
    },
    values.kind === 'url' && {
      name: 'command',
      label: t.url,
      help: t.urlHelp,
      type: 'url',
      inputmode: 'url',
      maxlength: 2000,
      check: (url) => required(url) ?? (isAddress(url) ? null : t.urlBad),
    },
    {
      name: 'time_limit_secs',
      label: t.limit,
      help: t.limitHelp(limit === null ? '–' : duration(limit)),
      inputmode: 'numeric',
      more: true,
      check: whole(1, MAX_SECS, t.bad(1, MAX_SECS)),
    },
    {
      name: 'overlap',
      kind: 'choice',
      label: t.overlap,
      help: t.overlapHelp[values.overlap],
      options: options(t.overlaps),
      more: true,
    },
    {
      name: 'notify_after',
      label: t.notify,
      help: t.notifyHelp,
      inputmode: 'numeric',
      more: true,
      check: whole(0, MAX_FAILURES, t.bad(0, MAX_FAILURES)),
    },
  ]
}
