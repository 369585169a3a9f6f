import { describe, expect, it } from 'vitest'
import { nextRuns } from '#handlers/domain/cron/cron-schedule.ts'
import { readSchedule } from '../../../src/lib/format/schedule-choice.ts'
import { scheduleWords } from '../../../src/lib/format/schedule-words.ts'
import { withTexts } from '../../../src/lib/server/request-texts.ts'

describe('a schedule in plain words', () => {
  it.each([
    ['* * * * *', 'Every minute', 'Jede Minute'],
    ['*/5 * * * *', 'Every 5 minutes', 'Alle 5 Minuten'],
    ['15 * * * *', 'Every hour, at minute 15', 'Stündlich, zur Minute 15'],
    ['@hourly', 'Every hour, at minute 0', 'Stündlich, zur Minute 0'],
    ['0 */6 * * *', 'Every 6 hours, at minute 0', 'Alle 6 Stunden, zur Minute 0'],
    ['15 3 * * *', 'Daily at 03:15', 'Täglich um 03:15'],
    ['0 0 * * 0-6', '0 0 * * 0-6', '0 0 * * 0-6'],
    ['0 0 * * 1-7', 'Daily at 00:00', 'Täglich um 00:00'],
    ['0 4 * * 1', 'Mondays at 04:00', 'Montags um 04:00'],
    ['0 4 * * Mon-Fri', 'Mondays to Fridays at 04:00', 'Montags bis freitags um 04:00'],
    ['0 4 * * 6,7', 'Saturdays and Sundays at 04:00', 'Samstags und sonntags um 04:00'],
    ['0 4 * * fri,mon', 'Mondays and Fridays at 04:00', 'Montags und freitags um 04:00'],
    ['@weekly', 'Sundays at 00:00', 'Sonntags um 00:00'],
    ['30 2 1 * *', 'Monthly on day 1 at 02:30', 'Monatlich am 1. um 02:30'],
  ])('%s: %s', (schedule, english, german) => {
    expect(withTexts('en', () => scheduleWords(schedule))).toBe(english)
    expect(withTexts('de', () => scheduleWords(schedule))).toBe(german)
  })

  it.each([
    // Comes at 0, 7, … 56 and then at 0 again.
    '*/7 * * * *',
    '0 */5 * * *',
    '0 0 1 1 *',
    '@yearly',
    '0 9-17 * * *',
    '0,30 * * * *',
    '0 0 1 * 1',
    '0 4 * * fri-mon',
    '0 4 * * 1#2',
    '0 4 L * *',
    '60 * * * *',
    '0 24 * * *',
    '*/0 * * * *',
    '*/60 * * * *',
    'nonsense',
    '',
  ])('of %s are its fields', (schedule) => {
    expect(readSchedule(schedule)).toBeNull()
    expect(withTexts('en', () => scheduleWords(schedule))).toBe(schedule)
  })

  it('names the days and the hour on which it is due', () => {
    for (const field of ['0', '7', 'sun', '2-4', '1,3,5', 'sat,tue']) {
      const schedule = `20 5 * * ${field}`
      const choice = readSchedule(schedule)
      if (choice?.every !== 'week') throw new Error(`${schedule} has no words`)
      const due = nextRuns({ schedule, timeZone: 'UTC' }, Date.UTC(2026, 0, 1), 14)
      expect([field, new Set(choice.days)]).toEqual([
        field,
        new Set(due.map((at) => new Date(at).getUTCDay())),
      ])
      expect(due.every((at) => new Date(at).toISOString().slice(11, 16) === choice.time)).toBe(true)
    }
  })
})
