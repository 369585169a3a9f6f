import { expect, test } from 'vitest'
import { createStoreClock } from '#adapters/node/panel/store-clock.ts'
import { findSkew } from '#handlers/services/doctor/find-store.ts'

const HOUR_MS = 3_600_000

/** A machine an hour ahead of a store that takes its time to answer. */
const stage = () => {
  const at = { storeMs: 1_000_000_000, wallMs: 1_000_000_000 + HOUR_MS, monotonicMs: 500 }
  let answerMs = 20
  const pass = (ms: number): void => {
    at.storeMs += ms
    at.wallMs += ms
    at.monotonicMs += ms
  }
  const clock = createStoreClock(
    {
      storeTimeMs() {
        pass(answerMs / 2)
        const told = at.storeMs
        pass(answerMs / 2)
        return Promise.resolve(told)
      },
    },
    { wallMs: () => at.wallMs, monotonicMs: () => at.monotonicMs },
  )
  return { at, clock, pass, answerIn: (ms: number) => (answerMs = ms) }
}

test('goes by the time of the store, whatever the machine says and whoever sets it', async () => {
  const { at, clock, pass } = stage()
  await clock.ask()
  expect(clock.nowMs()).toBe(at.storeMs)
  expect(clock.skewMs()).toBe(HOUR_MS)
  at.wallMs -= 2 * HOUR_MS
  pass(30_000)
  expect(clock.nowMs()).toBe(at.storeMs)
  await clock.ask()
  expect(clock.skewMs()).toBe(-HOUR_MS)
  // The store's own clock was set.
  at.storeMs += 7000
  await clock.ask()
  expect(clock.nowMs()).toBe(at.storeMs)
})

test('a slow answer tells the time no worse than an earlier one did', async () => {
  const { at, clock, answerIn } = stage()
  await clock.ask()
  answerIn(5000)
  at.storeMs += 100
  await clock.ask()
  expect(clock.nowMs()).toBe(at.storeMs - 100)
})

test('the doctor warns of five seconds', () => {
  expect(findSkew(4999)).toEqual([])
  expect(findSkew(5000)).toMatchObject([{ kind: 'clock', level: 'warning' }])
  expect(findSkew(-HOUR_MS)[0]?.what).toContain('3600 seconds behind')
})
