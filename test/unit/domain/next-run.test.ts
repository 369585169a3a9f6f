import { describe, expect, test } from 'vitest'
import { nextRun, type RunsSoFar } from '#handlers/domain/backups/next-run.ts'
import { isBackupOverdue } from '#handlers/domain/backups/overdue.ts'
import { DAY_MS, HOUR_MS, longestGap, type When } from '#handlers/domain/backups/slots.ts'

const at = (text: string): number => Date.parse(`2026-11-${text.replace(' ', 'T')}:00Z`)
const show = (ms: number): string => new Date(ms).toISOString().slice(8, 16).replace('T', ' ')
const NIGHTLY: When = { every_hours: 24, window: { from: 2, to: 5 } }
const LATE: When = { every_hours: 24, window: { from: 22, to: 4 } }
const HOURLY: When = { every_hours: 1, window: null }
const WEEKLY: When = { every_hours: 168, window: { from: 2, to: 5 } }

type Last = NonNullable<RunsSoFar['last']>
const so = (last: string | null, more: Partial<RunsSoFar> & Partial<Last> = {}): RunsSoFar => ({
  last: last === null ? null : { startedMs: at(last), outcome: more.outcome ?? 'done' },
  accountMs: at('01 00:00'),
  setMs: null,
  spread: 0,
  ...more,
})
const next = (when: When, runs: RunsSoFar, now: string): string =>
  show(nextRun(when, runs, at(now)))

describe('the next run of a schedule', () => {
  test('comes with the next slot, however late the last one began', () => {
    expect(next(NIGHTLY, so('10 02:00'), '10 02:01')).toBe('11 02:00')
    expect(next(NIGHTLY, so('10 04:59'), '10 12:00')).toBe('11 02:00')
    expect(next(HOURLY, so('10 02:40'), '10 02:41')).toBe('10 03:00')
    expect(next({ every_hours: 6, window: null }, so('10 02:40'), '10 02:41')).toBe('10 06:00')
  })

  test('keeps to the window, also over midnight', () => {
    const few: When = { every_hours: 6, window: { from: 22, to: 6 } }
    expect(next(few, so('10 22:00'), '10 22:01')).toBe('11 04:00')
    expect(next(few, so('11 04:00'), '11 04:01')).toBe('11 22:00')
    expect(next(LATE, so('09 22:00'), '10 21:00')).toBe('10 22:00')
    // The slot of the evening is made up for in the night.
    expect(next(LATE, so('09 22:00'), '11 03:00')).toBe('10 22:00')
    expect(next(LATE, so('09 22:00'), '11 05:00')).toBe('11 22:00')
    const hours: When = { every_hours: 1, window: { from: 2, to: 5 } }
    expect(next(hours, so('10 04:10'), '10 04:20')).toBe('11 02:00')
  })

  test('that was missed is made up for once, in the window, or at once when it is a day late', () => {
    expect(next(NIGHTLY, so('09 02:00'), '10 04:00')).toBe('10 02:00')
    expect(next(NIGHTLY, so('09 02:00'), '10 12:00')).toBe('11 02:00')
    expect(next(NIGHTLY, so('08 02:00'), '10 12:00')).toBe('10 02:00')
    // After it there is nothing left to make up for.
    expect(next(NIGHTLY, so('10 12:00'), '10 12:01')).toBe('11 02:00')
    expect(next(HOURLY, so('08 02:00'), '10 12:30')).toBe('08 03:00')
    expect(next(HOURLY, so('10 12:30'), '10 12:31')).toBe('10 13:00')
  })

  test('that is the first waits for the window and for no week', () => {
    expect(next(NIGHTLY, so(null), '10 12:00')).toBe('11 02:00')
    expect(next(NIGHTLY, so(null, { accountMs: at('10 10:00') }), '10 12:00')).toBe('11 02:00')
    expect(next(WEEKLY, so(null, { accountMs: at('10 10:00') }), '10 12:00')).toBe('11 02:00')
    // A schedule that was changed by day makes no backups by day.
    const changed = so('03 02:00', { setMs: at('10 10:00') })
    expect(next(NIGHTLY, changed, '10 10:01')).toBe('11 02:00')
    expect(next(WEEKLY, changed, '10 10:01')).toBe('11 02:00')
  })

  test('once a week has its day by the account, and is made up for the night after', () => {
    const days = [0, 1, 2, 3, 4, 5, 6].map((spread) =>
      next(WEEKLY, so('11 02:30', { spread }), '11 02:31'),
    )
    expect(new Set(days).size).toBe(7)
    const slot = nextRun(WEEKLY, so('11 02:30', { spread: 3 }), at('11 03:00'))
    const missed = nextRun(WEEKLY, so('11 02:30', { spread: 3 }), slot + 6 * HOUR_MS)
    expect(missed).toBe(slot + DAY_MS)
  })

  test('comes a day after one that failed, and an hour after one that was broken off', () => {
    expect(next(WEEKLY, so('10 02:00', { outcome: 'failed' }), '10 03:00')).toBe('11 02:00')
    expect(next(NIGHTLY, so('10 02:10', { outcome: 'failed' }), '10 03:00')).toBe('11 02:00')
    const broken = so('10 02:10', { outcome: 'interrupted' })
    expect(next(NIGHTLY, broken, '10 02:20')).toBe('10 03:10')
    expect(next(NIGHTLY, broken, '10 06:00')).toBe('11 02:00')
  })

  test('is made once, whatever the clock does', () => {
    // A second back, an hour back: the slot has had its run.
    expect(next(NIGHTLY, so('10 02:00'), '10 01:59')).toBe('11 02:00')
    expect(next(NIGHTLY, so('10 02:30'), '10 01:30')).toBe('11 02:00')
    // A year ahead and back again: it does not wait for a year.
    const ahead = so(null, { last: { startedMs: at('10 02:00') + 365 * DAY_MS, outcome: 'done' } })
    expect(nextRun(NIGHTLY, ahead, at('10 03:00'))).toBeLessThanOrEqual(at('10 03:00'))
    const all = so(null, { accountMs: at('10 02:00') + 365 * DAY_MS, setMs: at('30 00:00') })
    expect(next(NIGHTLY, all, '10 03:00')).toBe('10 02:00')
    // Ahead by days: one run, and the next with the next slot.
    expect(next(NIGHTLY, so('10 02:00'), '20 03:00')).toBe('11 02:00')
    expect(next(NIGHTLY, so('20 03:00'), '20 03:01')).toBe('21 02:00')
  })

  test('over a year of minutes there is one run a slot', () => {
    for (const [when, runs] of [
      [NIGHTLY, 30],
      [LATE, 30],
      [{ every_hours: 6, window: null }, 120],
      [{ every_hours: 2, window: { from: 23, to: 4 } }, 90],
    ] as const) {
      let last: RunsSoFar['last'] = null
      let made = 0
      const begin = at('01 00:00')
      for (let now = begin; now < begin + 30 * DAY_MS; now += 600_000) {
        const known = { last, accountMs: begin - 1, setMs: null, spread: 5 }
        if (nextRun(when, known, now) > now) continue
        last = { startedMs: now, outcome: 'done' }
        made++
      }
      expect([when, made]).toEqual([when, runs])
    }
  })
})

test('a backup is overdue by the schedule of its account', () => {
  const overdue = (when: When, hours: number): boolean =>
    isBackupOverdue(
      when,
      { newestMs: at('10 00:00'), sinceMs: 0 },
      at('10 00:00') + hours * HOUR_MS,
    )
  expect([overdue(NIGHTLY, 36), overdue(NIGHTLY, 36.1)]).toEqual([false, true])
  expect([overdue(WEEKLY, 180), overdue(WEEKLY, 180.1)]).toEqual([false, true])
  expect([overdue(HOURLY, 3), overdue(HOURLY, 3.1)]).toEqual([false, true])
  expect(longestGap({ every_hours: 1, window: { from: 2, to: 5 } })).toBe(22 * HOUR_MS)
  const since = { newestMs: null, sinceMs: at('12 00:00') }
  expect(isBackupOverdue(NIGHTLY, since, at('13 00:00'))).toBe(false)
})
