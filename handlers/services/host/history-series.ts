import type { MetricRow, MetricValues } from '../../ports/store/metrics.ts'
import { MEBIBYTE } from '../../domain/text/megabyte.ts'

/** One list of values for each figure, as long as `times`; null is a gap. */
export interface HistorySeries {
  cpu_percent: (number | null)[]
  memory_percent: (number | null)[]
  memory_used_bytes: (number | null)[]
  load_1: (number | null)[]
  load_5: (number | null)[]
  load_15: (number | null)[]
  requests_per_sec: (number | null)[]
  /** Null also where nobody asked the page cache for anything. */
  cache_hit_percent: (number | null)[]
}

const rounded = (value: number | null | undefined, digits: number): number | null =>
  value === null || value === undefined ? null : Number(value.toFixed(digits))

const share = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole <= 0 ? null : rounded((part / whole) * 100, 1)

/** Beginnings of the periods from `fromSecs` to `toSecs`, both included and multiples of `stepSecs`. */
export const historyTimes = (fromSecs: number, toSecs: number, stepSecs: number): number[] =>
  Array.from(
    { length: Math.max(0, Math.floor((toSecs - fromSecs) / stepSecs) + 1) },
    (_, index) => fromSecs + index * stepSecs,
  )

/** Puts rows on `times`; a time without a row is a gap in every series. */
export const historySeries = (
  times: readonly number[],
  rows: Iterable<MetricRow>,
): HistorySeries => {
  const byTime = new Map<number, MetricRow>()
  for (const row of rows) byTime.set(row.at_secs, row)
  const list = (of: (values: MetricValues) => number | null): (number | null)[] =>
    times.map((time) => {
      const row = byTime.get(time)
      return row === undefined ? null : of(row)
    })
  return {
    cpu_percent: list((row) => rounded(row.cpu_percent, 1)),
    memory_percent: list((row) => share(row.memory_used_mb, row.memory_total_mb)),
    memory_used_bytes: list((row) =>
      row.memory_used_mb === null ? null : Math.round(row.memory_used_mb * MEBIBYTE),
    ),
    load_1: list((row) => rounded(row.load_1, 2)),
    load_5: list((row) => rounded(row.load_5, 2)),
    load_15: list((row) => rounded(row.load_15, 2)),
    requests_per_sec: list((row) => rounded(row.requests_per_sec, 2)),
    cache_hit_percent: list((row) => share(row.hits_per_sec, row.lookups_per_sec)),
  }
}
