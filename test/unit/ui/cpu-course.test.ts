import { describe, expect, it } from 'vitest'
import { cpuCourse } from '../../../src/lib/components/cache/cpu-course.ts'

const NOW = Date.UTC(2026, 10, 26, 12, 0, 30)
const MINUTE_MS = 60_000

describe('the course of processor time', () => {
  it('is the last hour, with nothing in minutes that are not told of', () => {
    const course = cpuCourse([{ at: '2026-11-26 11:59:00', ms: 1500 }], NOW, 0)
    expect(course.times).toHaveLength(60)
    expect(course.times.at(-1)).toBe(Date.UTC(2026, 10, 26, 12) / 1000)
    expect(course.seconds.slice(-3)).toEqual([0, 1.5, 0])
  })

  it('begins where counting began, or with what is told of from before', () => {
    const since = NOW - 5 * MINUTE_MS
    expect(cpuCourse([], NOW, since).seconds).toEqual([0, 0, 0, 0, 0, 0])
    const told = [{ at: '2026-11-26 11:52:00', ms: 20 }]
    expect(cpuCourse(told, NOW, since).seconds).toEqual([0.02, 0, 0, 0, 0, 0, 0, 0, 0])
  })
})
