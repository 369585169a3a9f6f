import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDailyRenewal } from '#adapters/node/panel/duties/daily-renewal.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

const HOUR_MS = 3_600_000

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('renews soon after the start, then once a day, also after a failure, until it is stopped', async () => {
  let turns = 0
  const log = createRecordingLog()
  const renewal = startDailyRenewal(async () => {
    turns += 1
    if (turns === 1) throw new Error('the store is locked')
    return { renewed: ['a.example'], skipped: [], errors: [] }
  }, log)
  await vi.advanceTimersByTimeAsync(4 * 60_000)
  expect(turns).toBe(0)
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(turns).toBe(1)
  expect(log.lines.join('\n')).toContain('the store is locked')
  await vi.advanceTimersByTimeAsync(21 * HOUR_MS)
  expect(turns).toBe(1)
  await vi.advanceTimersByTimeAsync(5 * HOUR_MS)
  expect(turns).toBe(2)
  expect(log.lines.join('\n')).toContain('a.example')
  renewal.stop()
  await vi.advanceTimersByTimeAsync(60 * HOUR_MS)
  expect(turns).toBe(2)
})
