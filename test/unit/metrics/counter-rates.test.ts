import { describe, expect, it } from 'vitest'
import { counterRates } from '#handlers/domain/host/counter-rates.ts'

const at = (atMs: number, requests: number, hits = 0, misses = 0, run = 'a') => ({
  run,
  requests,
  hits,
  misses,
  atMs,
})

describe('rates of counters', () => {
  it('are differences over the time that passed', () => {
    expect(counterRates(at(0, 100, 10, 20), at(10_000, 150, 25, 25))).toEqual({
      requests_per_sec: 5,
      hits_per_sec: 1.5,
      lookups_per_sec: 2,
    })
  })
  it.each([
    ['without an earlier reading', null, at(10_000, 5)],
    ['without a reading', at(0, 5), null],
    ['across runs, even when the counters grew', at(0, 5), at(10_000, 500, 0, 0, 'b')],
    ['where requests went down', at(0, 500), at(10_000, 5)],
    ['where hits went down', at(0, 5, 9), at(10_000, 50, 8)],
    ['where misses went down', at(0, 5, 0, 9), at(10_000, 50, 0, 8)],
    ['within a second', at(0, 5), at(999, 50_000)],
    ['when the clock was set back', at(10_000, 5), at(0, 50)],
    ['over a long silence', at(0, 5), at(90_001, 50)],
  ])('are not told %s', (_, before, now) => {
    expect(counterRates(before, now)).toBeNull()
  })
})
