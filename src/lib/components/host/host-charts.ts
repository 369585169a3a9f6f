import type { HostHistory } from '$lib/api/types'
import type { ChartSeries } from '$lib/components/ui/chart/chart-types'
import { decimal } from '$lib/format/decimal'
import { memory as memoryText } from '$lib/format/size'
import { texts } from '$lib/texts'

const NONE: HostHistory['series'] = {
  cpu_percent: [],
  memory_percent: [],
  memory_used_bytes: [],
  load_1: [],
  load_5: [],
  load_15: [],
  requests_per_sec: [],
  cache_hit_percent: [],
}

/** e.g. `94.1 %`. */
export const percentText = (value: number): string =>
  texts.charts.percent(decimal(value, Number.isInteger(value) ? 0 : 1))

/** Requests per second, e.g. `1.5 k`: as many digits as tell small figures apart. */
export const rateText = (value: number): string => {
  if (value >= 1e6) return `${decimal(value / 1e6, 1)} M`
  if (value >= 1000) return `${decimal(value / 1000, 1)} k`
  return decimal(value, Number.isInteger(value) || value >= 100 ? 0 : value >= 1 ? 1 : 2)
}

/** e.g. `0.42`. */
export const loadText = (value: number): string => decimal(value, 2)

/** What a chart of the host takes; before the first response it is empty, with its legend. */
export const hostCharts = (history: HostHistory | null, memoryTotalMb: number | null) => {
  const t = texts.charts
  const series = history?.series ?? NONE
  const cpu: ChartSeries = { label: t.cpu, values: series.cpu_percent }
  const memory: ChartSeries = {
    label: t.memory,
    values: series.memory_percent,
    ...(memoryTotalMb === null
      ? {}
      : {
          format: (value: number) =>
            `${percentText(value)} · ${memoryText((value / 100) * memoryTotalMb)}`,
        }),
  }
  return {
    times: history?.times ?? [],
    span: history === null ? null : ([history.from, history.to] as [number, number]),
    usage: [cpu, memory],
    load: [
      { label: t.load1, values: series.load_1 },
      { label: t.load5, values: series.load_5 },
      { label: t.load15, values: series.load_15 },
    ] satisfies ChartSeries[],
    requests: [
      { label: t.requestsPerSec, values: series.requests_per_sec },
      { label: t.hitRate, values: series.cache_hit_percent, format: percentText, top: 100 },
    ] satisfies ChartSeries[],
  }
}
