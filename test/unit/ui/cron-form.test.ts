import { describe, expect, it } from 'vitest'
import type { CronJob } from '../../../src/lib/api/types.ts'
import {
  chosenSchedule,
  cronBody,
  cronForm,
  isTime,
  wholeOf,
} from '../../../src/lib/components/cron/cron-form.ts'

const JOB: CronJob = {
  id: 7,
  account_id: 1,
  name: 'Import',
  schedule: '15 3 * * *',
  time_zone: 'UTC',
  kind: 'command',
  command: ['php', 'a b.php', 'two\nlines'],
  enabled: true,
  time_limit_secs: 3600,
  overlap: 'skip',
  notify_after: 3,
  failures: 0,
  next_at: null,
  created_at: '2026-01-01 00:00:00',
  updated_at: '2026-01-01 00:00:00',
}
const formOf = (change: Partial<CronJob>) => cronForm({ ...JOB, ...change }, '1', 'UTC')

describe('the form of a cron job', () => {
  it.each([
    ['* * * * *', 'minutes'],
    ['*/15 * * * *', 'minutes'],
    ['20 * * * *', 'hour'],
    ['15 3 * * *', 'day'],
    ['0 4 * * 1', 'week'],
    ['0 4 * * 0', 'week'],
    ['0 4 * * 1-5', 'week'],
    ['30 2 31 * *', 'month'],
    ['0 4 * * 1,3', 'text'],
    ['0 */6 * * *', 'text'],
    ['0 0 1 1 *', 'text'],
  ])('holds %s by %s, and gives the same again', (schedule, every) => {
    const form = formOf({ schedule })
    expect(form.every).toBe(every)
    expect(chosenSchedule(form)).toBe(schedule)
  })

  it('has no schedule while what it holds is not whole', () => {
    const form = formOf({})
    expect(chosenSchedule({ ...form, time: '' })).toBeNull()
    expect(chosenSchedule({ ...form, every: 'hour', minute: '60' })).toBeNull()
    expect(chosenSchedule({ ...form, every: 'month', day: '0' })).toBeNull()
    expect(chosenSchedule({ ...form, every: 'text', schedule: '  ' })).toBeNull()
  })

  it('sends a program as one argument a line, and what nobody edited as it was', () => {
    const form = formOf({})
    expect(cronBody(form, JOB).command).toEqual(JOB.command)
    expect(cronBody({ ...form, command: 'php\r\na b.php\n\n*\n' }, JOB).command).toEqual([
      'php',
      'a b.php',
      '',
      '*',
    ])
    expect(cronBody({ ...form, kind: 'shell', command: ' php x.php ' }, JOB).command).toBe(
      'php x.php',
    )
  })

  it.each([
    ['5', 5],
    [' 5 ', 5],
    ['0', null],
    ['11', null],
    ['1e1', null],
    ['-1', null],
    ['', null],
    ['5.0', null],
  ])('reads %j as %j of 1 to 10', (text, value) => expect(wholeOf(text, 1, 10)).toBe(value))

  it('knows times', () => {
    expect(['00:00', '23:59', '24:00', '3:15', '03:60', ''].map(isTime)).toEqual([
      ...[true, true],
      ...[false, false, false, false],
    ])
  })
})
