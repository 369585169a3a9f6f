import { describe, expect, it } from 'vitest'
import { averageValues, NO_VALUES } from '#handlers/services/host/average-values.ts'
import { historySeries, historyTimes } from '#handlers/services/host/history-series.ts'

describe('series of the history', () => {
  it('leave gaps where no row is, and where a figure is not known', () => {
    const row = { ...NO_VALUES, cpu_percent: 12.345, memory_used_mb: 1, memory_total_mb: 4 }
    const series = historySeries(
      [10, 20, 30],
      [
        { ...row, at_secs: 10 },
        { ...row, cpu_percent: null, at_secs: 30 },
        { ...row, at_secs: 40 },
      ],
    )
    expect(series.cpu_percent).toEqual([12.3, null, null])
    expect(series.memory_percent).toEqual([25, null, 25])
    expect(series.memory_used_bytes).toEqual([2 ** 20, null, 2 ** 20])
    expect(series.requests_per_sec).toEqual([null, null, null])
  })
  it('tell a hit rate only where something was asked for', () => {
    const row = { ...NO_VALUES, at_secs: 10, hits_per_sec: 0 }
    expect(historySeries([10], [{ ...row, lookups_per_sec: 0 }]).cache_hit_percent).toEqual([null])
    expect(historySeries([10], [{ ...row, lookups_per_sec: 4 }]).cache_hit_percent).toEqual([0])
    const some = { ...row, hits_per_sec: 3, lookups_per_sec: 4 }
    expect(historySeries([10], [some]).cache_hit_percent).toEqual([75])
  })
  it('have their times at even distances', () => {
    expect(historyTimes(60, 240, 60)).toEqual([60, 120, 180, 240])
    expect(historyTimes(60, 0, 60)).toEqual([])
  })
})

describe('averages', () => {
  it('count what is known alone', () => {
    const all = [
      { ...NO_VALUES, cpu_percent: 10, load_1: 0 },
      { ...NO_VALUES, cpu_percent: 20 },
      NO_VALUES,
    ]
    expect(averageValues(all)).toEqual({ ...NO_VALUES, cpu_percent: 15, load_1: 0 })
    expect(averageValues([])).toEqual(NO_VALUES)
  })
})
