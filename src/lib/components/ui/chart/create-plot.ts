import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { ChartColors } from './chart-colors'
import { gridLines, highestOf, lonePoints } from './chart-scale'
import type { ChartHover, ChartSeries } from './chart-types'

const DAY_SECS = 86_400
/** Of an axis of days. */
const DAY_STEPS = [1, 2, 7, 14, 28, 56, 91, 182].map((days) => days * DAY_SECS)
/** Of a time on the axis, which stands with its middle at its place. */
const HALF_TIME_PX = 14
const MIN_AXIS_PX = 48
/** Of an axis at the right: room for `100 %`. */
const OWN_AXIS_PX = 52
const AXIS_FONT_PX = 11
const AXIS_FONT_FAMILY = '"Inter Variable", ui-sans-serif, system-ui, sans-serif'
const AXIS_FONT = `${AXIS_FONT_PX}px ${AXIS_FONT_FAMILY}`

/** What is drawn. */
export interface PlotContent {
  times: readonly number[]
  series: readonly ChartSeries[]
  /** Ends of the time axis, unix seconds. Default: the first and the last time. */
  span: readonly [number, number] | null
  /** Upper end of the axis. Default: what the values need. */
  top: number | undefined
}

interface PlotOptions extends PlotContent {
  heightPx: number
  /** A figure at the axis. */
  format: (value: number) => string
  /** Each time is the midnight (UTC) of a day. */
  days: boolean
  /** Language of times and dates. */
  locale: string
  /** In which they are, unless they are days (IANA name), and what stands for it at the axis. */
  timeZone: string
  zoneName: string
  colors: ChartColors
  onhover: (hover: ChartHover | null) => void
}

export interface Plot {
  show(content: PlotContent): void
  recolor(colors: ChartColors): void
  resize(widthPx: number): void
  destroy(): void
}

const onAxis = ({ top }: ChartSeries): boolean => top === undefined

/** Draws a chart of times into `host`. Imported when a chart is first shown: the library is not small. */
export const createPlot = (host: HTMLElement, options: PlotOptions): Plot => {
  const { format, locale, onhover, heightPx, days, zoneName } = options
  const timeZone = days ? 'UTC' : options.timeZone
  let { colors } = options
  let content: PlotContent = options
  const clock = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  })
  const day = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    timeZone,
  })

  const lines = (): number[] =>
    gridLines(highestOf(content.series.filter(onAxis).map(({ values }) => values)), content.top)
  const ends = (): [number, number] => {
    const { span, times } = content
    if (span !== null) return [span[0], span[1]]
    const [first, last] = [times[0] ?? 0, times.at(-1) ?? 1]
    // One day alone is a point, and has no width.
    return days && first === last ? [first - DAY_SECS / 2, last + DAY_SECS / 2] : [first, last]
  }
  const data = (): uPlot.AlignedData => [
    [...content.times],
    ...content.series.map(({ values }) => values),
  ]
  const width = (): number => Math.max(1, host.clientWidth)
  const spline = uPlot.paths.spline?.()
  const lineColor = (index: number): string => colors.lines[index] ?? colors.axis
  const axis: uPlot.Axis = {
    stroke: () => colors.axis,
    font: AXIS_FONT,
    ticks: { show: false },
  }

  const plot = new uPlot(
    {
      width: width(),
      height: heightPx,
      padding: [8, content.series.every(onAxis) ? 16 : 0, 0, 0],
      legend: { show: false },
      tzDate: (time: number) => uPlot.tzDate(new Date(time * 1000), timeZone),
      cursor: {
        y: false,
        drag: { x: false, y: false, setScale: false },
        points: {
          size: 7,
          width: 0,
          fill: (_, index) => lineColor(index - 1),
          stroke: (_, index) => lineColor(index - 1),
        },
      },
      scales: {
        x: { time: true, range: ends },
        y: { range: () => [0, lines().at(-1) ?? 1] },
        ...Object.fromEntries(
          content.series.flatMap(({ top }, index) =>
            top === undefined ? [] : [[`own${index}`, { range: () => [0, top] as const }]],
          ),
        ),
      } as uPlot.Scales,
      axes: [
        {
          ...axis,
          size: 24,
          gap: 6,
          space: 84,
          ...(days ? { incrs: DAY_STEPS } : {}),
          grid: { show: false },
          // Where the name of the time zone stands a time would lie upon it.
          values: (self, splits, __, ___, step) =>
            splits.map((time) =>
              !days && self.valToPos(time, 'x') < HALF_TIME_PX
                ? ''
                : (step >= DAY_SECS ? day : clock).format(time * 1000),
            ),
        },
        {
          ...axis,
          gap: 8,
          // Never narrower, so that other figures do not move the drawing.
          size: (self, values) =>
            Math.max(
              MIN_AXIS_PX,
              12 +
                Math.ceil(
                  (values ?? []).reduce(
                    (most, text) => Math.max(most, self.ctx.measureText(text).width),
                    0,
                  ) / uPlot.pxRatio,
                ),
            ),
          splits: lines,
          values: (_, splits) => splits.map(format),
          grid: { stroke: () => colors.grid, width: 1 },
        },
        ...content.series.flatMap((one, index): uPlot.Axis[] => {
          const { top, format: tell = format } = one
          if (top === undefined) return []
          return [
            {
              ...axis,
              scale: `own${index}`,
              side: 1,
              gap: 8,
              size: OWN_AXIS_PX,
              splits: () => [0, top / 2, top],
              values: (_, splits) => splits.map(tell),
              grid: { show: false },
            },
          ]
        }),
      ],
      series: [
        {},
        ...content.series.map((one, index): uPlot.Series => ({
          label: one.label,
          scale: onAxis(one) ? 'y' : `own${index}`,
          stroke: () => lineColor(index),
          width: 1.75,
          ...(spline === undefined ? {} : { paths: spline }),
          ...(index === 0 ? { fill: () => colors.area } : {}),
          points: {
            show: false,
            size: 4,
            fill: () => lineColor(index),
            filter: (self, number) => lonePoints(self.data[number] ?? []),
          },
        })),
      ],
      hooks: {
        // Below the figures, at the beginning of the axis of times.
        draw: [
          ({ ctx, bbox, height }) => {
            if (days) return
            ctx.save()
            ctx.font = `${AXIS_FONT_PX * uPlot.pxRatio}px ${AXIS_FONT_FAMILY}`
            ctx.fillStyle = colors.axis
            ctx.textAlign = 'right'
            ctx.textBaseline = 'bottom'
            ctx.fillText(zoneName, bbox.left - 8 * uPlot.pxRatio, (height - 4) * uPlot.pxRatio)
            ctx.restore()
          },
        ],
        setCursor: [
          (self) => {
            const { idx, left = -1 } = self.cursor
            onhover(
              idx === null || idx === undefined || left < 0
                ? null
                : { index: idx, leftPx: left + self.over.offsetLeft },
            )
          },
        ],
      },
    },
    data(),
    host,
  )

  return {
    show(next) {
      content = next
      plot.setData(data())
    },
    recolor(next) {
      colors = next
      plot.redraw(false)
    },
    resize: (widthPx) => plot.setSize({ width: Math.max(1, widthPx), height: heightPx }),
    destroy: () => plot.destroy(),
  }
}
