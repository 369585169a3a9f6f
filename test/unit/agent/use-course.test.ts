import { expect, it } from 'vitest'
import { STEP_SECS, UseCourse } from '#adapters/node/agent/limits/use-course.ts'

const NOW = Date.UTC(2026, 0, 2, 12)
const MEBI = 2 ** 20
const use = (cpuMs: number | null, mb = 10, tasks = 1, memoryEnds = 0) => ({
  ...{ cpuMs, memoryBytes: mb * MEBI, tasks, memoryEnds },
})

it('tells the share of the processor, and the most of the rest, in each step', () => {
  const course = new UseCourse()
  course.note('alice', use(1000, 20, 3), NOW)
  course.note('alice', use(3000, 50, 2), NOW + 10_000)
  course.note('alice', use(3000, 10, 1), NOW + 20_000)
  course.note('alice', use(4000, 10, 1), NOW + STEP_SECS * 1000 + 20_000)
  expect(course.read('alice', NOW + 400_000)).toEqual({
    step_secs: STEP_SECS,
    points: [
      { at_secs: NOW / 1000, cpu_percent: 10, memory_mb: 50, tasks: 3 },
      { at_secs: NOW / 1000 + STEP_SECS, cpu_percent: 0.3, memory_mb: 10, tasks: 1 },
    ],
    memory_ends: [],
  })
  expect(course.read('bobby', NOW).points).toEqual([])
})

it('counts ends for want of memory from the first look on, over groups that are made anew', () => {
  const course = new UseCourse()
  expect(course.note('alice', use(0, 1, 1, 7), NOW)).toBe(0)
  expect(course.note('alice', use(0, 1, 1, 9), NOW + 5000)).toBe(2)
  // The counter fell: the group is another one.
  expect(course.note('alice', use(0, 1, 1, 1), NOW + 10_000)).toBe(1)
  expect(course.note('alice', null, NOW + 15_000)).toBe(0)
  expect(course.note('alice', use(null, 1, 1, 0), NOW + 20_000)).toBe(0)
  expect(course.read('alice', NOW).memory_ends).toEqual([{ at_secs: NOW / 1000, count: 3 }])
  expect(course.short(NOW)).toEqual([{ username: 'alice', count: 3, last_secs: NOW / 1000 }])
  expect(course.short(NOW + 25 * 3_600_000)).toEqual([])
  course.forget('alice')
  expect(course.short(NOW)).toEqual([])
})

it('keeps a day, and goes on where the clock was set back', () => {
  const course = new UseCourse()
  for (let step = 0; step < 400; step += 1)
    course.note('alice', use(step), NOW + step * STEP_SECS * 1000)
  course.note('alice', use(400), NOW)
  const { points } = course.read('alice', NOW + 399 * STEP_SECS * 1000)
  expect(points).toHaveLength(288)
  expect(points.at(-1)?.at_secs).toBe(NOW / 1000 + 399 * STEP_SECS)
})
