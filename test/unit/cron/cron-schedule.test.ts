import { describe, expect, it } from 'vitest'
import { cronDue } from '#handlers/domain/cron/cron-due.ts'
import {
  isTimeZone,
  nextRuns,
  scheduleFault,
  tidySchedule,
} from '#handlers/domain/cron/cron-schedule.ts'
import { isPublishingCommand } from '#handlers/domain/cron/publishing-commands.ts'

const ms = (text: string): number => Date.parse(`${text}Z`)
const texts = (all: number[]): string[] => all.map((at) => new Date(at).toISOString().slice(0, 16))

describe('schedules of jobs', () => {
  it.each([
    '* * * * *',
    '*/5 0-6 1,15 * 1-5',
    '15 3 * * mon-fri',
    '0 0 29 2 *',
    '@daily',
    '0 0 * * 7',
  ])('takes %s', (schedule) => expect(scheduleFault(schedule)).toBeNull())
  it.each([
    ['', 'is not a schedule'],
    ['* * * *', 'is not a schedule'],
    ['* * * * * *', 'is not a schedule'],
    ['61 * * * *', 'is not a schedule (Invalid value'],
    ['*/0 * * * *', 'illegal stepping'],
    ['@reboot', 'is not a schedule'],
    ['0 0 30 2 *', 'never comes true'],
    ['0 0 31 4,6,9,11 *', 'never comes true'],
    ['* * * * *\nroot', 'is not a schedule'],
    ['2026-01-01T00:00:00', 'is not a schedule'],
    [`${'1,'.repeat(100_000)}1 * * * *`, 'is not a schedule'],
  ])('refuses %j', (schedule, why) => expect(scheduleFault(schedule)).toContain(why))
  it('tells blanks apart from fields', () => {
    expect(tidySchedule('  5\t4  * * *  ')).toBe('5 4 * * *')
    expect(scheduleFault('  5\t4  * * *  ')).toBeNull()
  })
  it('runs by the clock of its time zone, also when that changes', () => {
    const berlin = { schedule: '30 4 * * *', timeZone: 'Europe/Berlin' }
    expect(texts(nextRuns(berlin, ms('2026-03-28T12:00'), 2))).toEqual([
      '2026-03-29T02:30',
      '2026-03-30T02:30',
    ])
    expect(texts(nextRuns(berlin, ms('2026-10-24T12:00'), 2))).toEqual([
      '2026-10-25T03:30',
      '2026-10-26T03:30',
    ])
    const twice = { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' }
    expect(texts(nextRuns(twice, ms('2026-10-24T12:00'), 2))).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })
  it('knows time zones', () => {
    expect([isTimeZone('UTC'), isTimeZone('Europe/Berlin')]).toEqual([true, true])
    expect([isTimeZone('Mars/X'), isTimeZone(''), isTimeZone('../etc')]).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('whether a job is due', () => {
  const job = { schedule: '*/10 * * * *', timeZone: 'UTC', nextMs: ms('2026-01-01T12:00') }
  it('is at its minute, and not twice', () => {
    expect(cronDue(job, ms('2026-01-01T11:59'))).toEqual({ runForMs: null, nextMs: job.nextMs })
    expect(cronDue(job, job.nextMs + 2000)).toEqual({
      runForMs: job.nextMs,
      nextMs: ms('2026-01-01T12:10'),
    })
  })
  it('leaves out what was missed, and runs what is due now', () => {
    expect(cronDue(job, ms('2026-01-01T15:07'))).toEqual({
      runForMs: null,
      nextMs: ms('2026-01-01T15:10'),
    })
    expect(cronDue(job, ms('2026-01-01T15:11'))).toEqual({
      runForMs: ms('2026-01-01T15:10'),
      nextMs: ms('2026-01-01T15:20'),
    })
    // Of a job that is due every minute one run, not one for each minute.
    const often = { ...job, schedule: '* * * * *' }
    for (const now of ['2026-01-01T12:03', '2026-01-01T15:03'])
      expect(cronDue(often, ms(now))).toEqual({ runForMs: ms(now), nextMs: ms(now) + 60_000 })
  })
  it('repeats nothing after a clock was put back a little, and goes on by one that was wrong', () => {
    const ahead = { ...job, nextMs: ms('2026-01-01T13:00') }
    expect(cronDue(ahead, ms('2026-01-01T12:03')).nextMs).toBe(ahead.nextMs)
    const wrong = { ...job, nextMs: ms('2031-01-01T00:00') }
    expect(cronDue(wrong, ms('2026-01-01T12:03'))).toEqual({
      runForMs: null,
      nextMs: ms('2026-01-01T12:10'),
    })
  })
})

describe('commands that publish', () => {
  it.each([
    'php /home/a/public_html/wp-cron.php',
    'cd public_html && wp cron event run --due-now',
    '/usr/bin/php8.2 artisan schedule:run',
    'php bin/magento cron:run',
    'php occ background:job',
    'https://shop.example/wp-cron.php?doing_wp_cron',
  ])('%s', (command) => expect(isPublishingCommand(command)).toBe(true))
  it.each([
    'php backup.php',
    'tar -cf wp.tar public_html',
    'swp-cron.phpx',
    'curl https://a.test/',
  ])('not %s', (command) => expect(isPublishingCommand(command)).toBe(false))
})
