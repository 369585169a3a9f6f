import type { Spread } from './row.ts'

/** Of a non-empty list; the median of an even number of values is the mean of the middle two. */
export const spread = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const half = sorted.length / 2
  const median = (at(Math.ceil(half) - 1) + at(Math.floor(half))) / 2
  return { min: at(0), median, max: at(sorted.length - 1) }
}

/** Ratios of what was measured in the same round; a round that one of them lacks does not count. */
export const ratios = (ours: readonly number[], theirs: readonly number[]): number[] =>
  ours.flatMap((value, round) => {
    const other = theirs[round]
    return other === undefined || other === 0 ? [] : [value / other]
  })
