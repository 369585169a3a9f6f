import { describe, expect, it } from 'vitest'
import { toBeRemoved } from '#handlers/domain/backups/retention.ts'
import type { Retention } from '#handlers/ports/retention.ts'

const NONE: Retention = { last: 0, hourly: 0, daily: 0, weekly: 0, monthly: 0 }
const at = (text: string): { atMs: number; text: string } => ({
  atMs: Date.parse(`${text}Z`),
  text,
})
const kept = (times: string[], keep: Partial<Retention>): string[] => {
  const backups = times.map(at)
  const removed = new Set(toBeRemoved(backups, { ...NONE, ...keep }))
  return backups.filter((one) => !removed.has(one)).map(({ text }) => text)
}

describe('which backups are kept', () => {
  it('keeps the newest one even where no rule does', () => {
    expect(kept(['2026-01-01T00:00', '2026-01-03T00:00', '2026-01-02T00:00'], {})).toEqual([
      '2026-01-03T00:00',
    ])
    expect(kept([], { daily: 3 })).toEqual([])
  })
  it('counts the newest ones', () => {
    const times = ['2026-01-01T00:00', '2026-01-01T01:00', '2026-01-01T02:00']
    expect(kept(times, { last: 2 })).toEqual(times.slice(1))
  })
  it('keeps the newest one of each day that has one, and counts days without one as none', () => {
    const times = ['2026-01-01T03:00', '2026-01-05T03:00', '2026-01-05T09:00', '2026-01-06T03:00']
    expect(kept(times, { daily: 2 })).toEqual(['2026-01-05T09:00', '2026-01-06T03:00'])
    expect(kept(times, { daily: 3 })).toEqual([
      '2026-01-01T03:00',
      '2026-01-05T09:00',
      '2026-01-06T03:00',
    ])
  })
  it('takes weeks from Monday to Sunday, also over the end of a year', () => {
    // 2026-12-28 is a Monday, 2027-01-03 the Sunday of the same week.
    const times = ['2026-12-27T12:00', '2026-12-28T12:00', '2027-01-03T12:00', '2027-01-04T12:00']
    expect(kept(times, { weekly: 3 })).toEqual([
      '2026-12-27T12:00',
      '2027-01-03T12:00',
      '2027-01-04T12:00',
    ])
  })
  it('keeps what any rule keeps', () => {
    const days = Array.from({ length: 120 }, (_, day) =>
      new Date(Date.UTC(2026, 0, 1 + day, 2)).toISOString().slice(0, 16),
    )
    const left = kept(days, { last: 1, daily: 7, weekly: 4, monthly: 3 })
    // Seven days, two more Sundays (the other two weeks end within the seven), two ends of months.
    expect(left).toContain('2026-02-28T02:00')
    expect(left).toContain('2026-03-31T02:00')
    expect(left.slice(-7)).toEqual(days.slice(-7))
    expect(left).toHaveLength(7 + 2 + 2)
  })
})
