import { setImmediate as nextRound } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { CpuMeter } from '#adapters/node/web-server/cpu/cpu-meter.ts'
import { RequestTurns } from '#adapters/node/web-server/watchdog/request-turns.ts'
import { CpuMinutes } from '#handlers/domain/accounts/cpu-minutes.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const newMeter = () => new CpuMeter((host) => (host === 'nobody.test' ? null : `${host}!`))

test('one request of 64 is measured and counts for all', () => {
  const meter = newMeter()
  const measured = Array.from({ length: 192 }, () => meter.begin()).filter((at) => at !== 0)
  expect(measured).toHaveLength(3)
  meter.end('a.test', performance.now() - 2)
  meter.end('nobody.test', 0)
  const { 'a.test!': ms = 0, ...others } = meter.take()
  expect(ms).toBeGreaterThanOrEqual(128)
  expect(ms).toBeLessThan(500)
  expect(others).toEqual({})
  expect(meter.take()).toEqual({})
})

test('the time between two turns belongs to the first, and waiting to nobody', async () => {
  let nowMs = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const meter = newMeter()
  const turns = new RequestTurns(null, meter)
  turns.enter('a.test', 'GET', '/', 'request')
  nowMs += 30
  turns.enter('b.test', 'GET', '/', 'request')
  nowMs += 10
  await nextRound()
  nowMs += 60
  turns.enter('a.test', 'GET', '/', 'rules')
  nowMs += 20
  turns.leave()
  nowMs += 40
  await nextRound()
  expect(meter.take()).toEqual({ 'a.test': 50, 'b.test': 10 })
})

test('minutes have steps of 10 ms, lose nothing to rounding, and go after an hour', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2, 3, 4, 30) })
  const minutes = new CpuMinutes(() => Date.now())
  const at_ms = Date.UTC(2026, 0, 2, 3, 4)
  minutes.add('a', 7)
  expect(minutes.read('a')).toEqual([])
  minutes.add('a', 7)
  expect(minutes.read('a')).toEqual([{ at_ms, ms: 10 }])
  vi.advanceTimersByTime(60_000)
  minutes.add('a', 27)
  expect(minutes.read('a')).toEqual([
    { at_ms, ms: 10 },
    { at_ms: at_ms + 60_000, ms: 30 },
  ])
  minutes.add('a', Number.NaN)
  minutes.add('a', -5)
  expect(minutes.read('nobody')).toEqual([])
  vi.advanceTimersByTime(59 * 60_000)
  expect(minutes.read('a')).toEqual([{ at_ms: at_ms + 60_000, ms: 30 }])
  vi.advanceTimersByTime(60_000)
  expect(minutes.read('a')).toEqual([])
})
