const STEPS = [1, 2, 2.5, 5, 10]
const THIRDS = 3

/**
 * The lines of an axis that shows values up to `highest`: four of them, from 0, at round figures. With `top` the
 * axis always ends there, in quarters.
 */
export const gridLines = (highest: number, top?: number): number[] => {
  if (top !== undefined) return [0, 0.25, 0.5, 0.75, 1].map((part) => part * top)
  if (!(highest > 0)) return [0, 1, 2, 3]
  const power = 10 ** Math.floor(Math.log10(highest / THIRDS))
  // The tolerance keeps 0.3 / 3 from being more than 0.1.
  const factor = STEPS.find((step) => step * power * THIRDS >= highest * (1 - 1e-9)) ?? 10
  return [0, 1, 2, 3].map((count) => Number((count * factor * power).toPrecision(6)))
}

/** The highest of the values, 0 when there is none. */
export const highestOf = (series: readonly (readonly (number | null)[])[]): number => {
  let highest = 0
  for (const values of series)
    for (const value of values) if (value !== null && value > highest) highest = value
  return highest
}

/** Figures of one series. */
export interface ChartFigures {
  /** At the last time; null when that is a gap. */
  last: number | null
  /** The last one that is known. */
  newest: number
  lowest: number
  highest: number
}

/** Null when the series has no value at all. */
export const figuresOf = (values: readonly (number | null)[]): ChartFigures | null => {
  const last = values.at(-1) ?? null
  let figures: ChartFigures | null = null
  for (const value of values) {
    if (value === null) continue
    figures ??= { last, newest: value, lowest: value, highest: value }
    figures.newest = value
    if (value < figures.lowest) figures.lowest = value
    if (value > figures.highest) figures.highest = value
  }
  return figures
}

/** Values between two gaps: no line leads to them, so they are drawn as points. */
export const lonePoints = (values: ArrayLike<number | null | undefined>): number[] => {
  const isGap = (index: number): boolean => (values[index] ?? null) === null
  return Array.from({ length: values.length }, (_, index) => index).filter(
    (index) => !isGap(index) && isGap(index - 1) && isGap(index + 1),
  )
}
