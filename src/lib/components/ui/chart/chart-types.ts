/** One line of a chart. */
export interface ChartSeries {
  /** Its word in the legend. */
  label: string
  /** As many as the chart has times; null is a gap and is drawn as one. */
  values: (number | null)[]
  /** A figure in words, e.g. `94.1 %`. Default: the chart's. */
  format?: (value: number) => string
  /** The line has a scale of its own from 0 to `top`, shown at the right. Default: the axis' scale. */
  top?: number
}

/** Where the pointer is: which of the times, and how far from the chart's left edge. */
export interface ChartHover {
  index: number
  leftPx: number
}
