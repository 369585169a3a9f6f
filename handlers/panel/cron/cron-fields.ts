import { z } from 'zod'
import { MAX_COMMAND } from '../../domain/cron/command-limit.ts'
import { isTimeZone, scheduleFault, tidySchedule } from '../../domain/cron/cron-schedule.ts'
import { invalid } from '../../errors.ts'
import type { CronKind } from '../../ports/store/cron-store.ts'
import { flag, label, oneOf, text } from '../frame/fields.ts'
import { CRON_KINDS, CRON_OVERLAPS } from './schema.ts'

const MAX_ARGUMENTS = 100
const MAX_URL = 2000

const whole = (field: string, least: number, most: number) =>
  z
    .int({ error: `${field} must be a whole number.` })
    .min(least, `${field} must be at least ${least}.`)
    .max(most, `${field} must be at most ${most}.`)

/** When a job is due. */
export const scheduleField = () =>
  text('schedule', 200)
    .superRefine((value, context) => {
      const fault = scheduleFault(value)
      if (fault !== null) context.addIssue({ code: 'custom', message: `schedule ${fault}` })
    })
    .transform(tidySchedule)
    .describe(
      'Five fields as of crontab(5): minute, hour, day of the month, month, day of the week (0-7 or names); or @hourly, @daily, @weekly, @monthly, @yearly.',
    )
    .meta({ type: 'string', maxLength: 200 })

/** By whose clock. */
export const timeZoneField = () =>
  text('time_zone', 50).refine(isTimeZone, 'time_zone must be a name such as UTC or Europe/Berlin.')

const commandField = () =>
  z
    .union(
      [text('command', MAX_COMMAND), z.array(text('command', MAX_COMMAND)).max(MAX_ARGUMENTS)],
      {
        error: (issue) =>
          issue.input === undefined
            ? 'command is required.'
            : 'command must be a text, or for kind command a list of texts.',
      },
    )
    .describe(
      "Of kind shell a line, which is one argument of sh -c; of kind url an address; of kind command a list: the program and its arguments, which no shell reads. It runs in the account's home, as its user, with the PHP of the account first in PATH.",
    )

/** Fields of a job with what is usual. */
export const cronFields = {
  name: label('name', 100).min(1, 'name must not be empty.'),
  schedule: scheduleField(),
  time_zone: timeZoneField(),
  kind: oneOf('kind', CRON_KINDS),
  command: commandField(),
  enabled: flag('enabled'),
  time_limit_secs: whole('time_limit_secs', 1, 86_400).describe('After that it is ended.'),
  overlap: oneOf('overlap', CRON_OVERLAPS).describe(
    'What becomes of a run that is due while the one before still runs: it is left out, waits (one of them), or ends the one before.',
  ),
  notify_after: whole('notify_after', 0, 100).describe(
    'After so many failed runs in a row there is an event cron.failed. 0: never.',
  ),
}

const bad = (why: string): Error => invalid('command', `command ${why}`)

const urlFault = (text: string): string | null => {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return 'must be an address such as https://example.com/cron.'
  return url.username === '' && url.password === '' ? null : 'must not hold a user or password.'
}

/** A command of its kind as it is kept; 400 where it is not one. */
export const keptCommand = (kind: CronKind, command: string | readonly string[]): string => {
  if (kind === 'command') {
    if (typeof command === 'string') throw bad('must be a list of texts for kind command.')
    const [program = ''] = command
    if (program === '' || program.includes('='))
      throw bad('must begin with a program, whose name has no "=".')
    if (command.some((one) => one.includes('\0'))) throw bad('must not contain NUL.')
    const kept = JSON.stringify(command)
    if (kept.length > MAX_COMMAND) throw bad(`must be at most ${MAX_COMMAND} characters together.`)
    return kept
  }
  if (typeof command !== 'string') throw bad(`must be a text for kind ${kind}.`)
  if (command.trim() === '') throw bad('must not be empty.')
  if (kind === 'url') {
    const fault = urlFault(command)
    if (fault !== null) throw bad(fault)
    return new URL(command).href
  }
  if (/[\0\r\n]/.test(command)) throw bad('must be one line.')
  return command
}
