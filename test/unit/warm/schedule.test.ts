import { expect, it } from 'vitest'
import { createWarmSchedule } from '#edge-cache/index.ts'
import { createTestTime, settle } from './warm-rig.ts'

const create = () => {
  const time = createTestTime()
  const runs: number[] = []
  const ends: (() => void)[] = []
  const schedule = createWarmSchedule({
    time,
    run: () => {
      runs.push(time.nowMs())
      return new Promise<void>((resolve) => ends.push(resolve))
    },
  })
  return { time, runs, schedule, end: () => ends.shift()?.() }
}

it.each([10, 60])('runs every %i seconds', async (secs) => {
  const { time, runs, schedule, end } = create()
  const begin = time.nowMs()
  schedule.configure(secs)
  expect(schedule.nextAtMs()).toBe(begin + secs * 1000)
  for (let i = 1; i <= 3; i++) {
    await time.pass(secs * 1000 - 1)
    expect(runs).toHaveLength(i - 1)
    await time.pass(1)
    expect(runs).toHaveLength(i)
    end()
    await settle()
  }
})

it('0 is off, and turning it off ends it', async () => {
  const { time, runs, schedule } = create()
  schedule.configure(0)
  await time.pass(1_000_000)
  schedule.configure(10)
  schedule.configure(0)
  await time.pass(1_000_000)
  expect([runs, schedule.nextAtMs(), time.timers()]).toEqual([[], null, []])
})

it('runs do not overlap; the missed turns are left out', async () => {
  const { time, runs, schedule, end } = create()
  schedule.configure(10)
  await time.pass(35_000)
  expect(runs).toHaveLength(1)
  end()
  await settle()
  await time.pass(5_000)
  expect(runs).toHaveLength(2)
})

it('keeps the pace over a reload that does not change it', async () => {
  const { time, runs, schedule } = create()
  schedule.configure(10)
  await time.pass(9_000)
  schedule.configure(10)
  await time.pass(1_000)
  expect(runs).toHaveLength(1)
})

it('an interval of decades does not fire at once', async () => {
  const { time, runs, schedule } = create()
  schedule.configure(2 ** 31 - 1)
  expect(Math.max(...time.timers())).toBeLessThan(2 ** 31)
  await time.pass(3 * 86_400_000)
  expect(runs).toEqual([])
})
