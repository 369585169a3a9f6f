import type { HistorySeries } from './history-series.ts'
import { historySeries, historyTimes } from './history-series.ts'
import type { MetricRow } from '../../ports/store/metrics.ts'
import type { Metrics } from './metrics.ts'
import { SAMPLE_SECS } from './metrics.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How far back a chart looks, and how long its periods are. */
const HISTORY_RANGES = {
  '15m': { lengthSecs: 900, stepSecs: 10 },
  '1h': { lengthSecs: 3600, stepSecs: 10 },
  '24h': { lengthSecs: 86_400, stepSecs: 60 },
  '7d': { lengthSecs: 604_800, stepSecs: 600 },
} as const

export type HistoryRange = keyof typeof HISTORY_RANGES

/** What the charts show. */
export interface HostHistory {
  range: HistoryRange
  /** Seconds from one time to the next. */
  step_secs: number
  /** Ends of the whole range, unix seconds; `times` lie within. */
  from: number
  to: number
  /** Unix seconds, each the beginning of its period. */
  times: number[]
  series: HistorySeries
}

/** What was measured, for charts. */
export interface History {
  /** With `sinceSecs` only what begins after it. */
  read(range: HistoryRange, sinceSecs?: number): Promise<HostHistory>
}

const MINUTE_SECS = 60
/** Nobody samples on this runtime, or no longer: a reader then does. */
const IDLE_MS = 2 * SAMPLE_SECS * 1000

export const createHistory = (
  deps: Pick<ServiceDeps, 'store' | 'clock'> & { metrics: Metrics },
  hostId: number = LOCAL_HOST,
): History => {
  const { store, clock, metrics } = deps

  /** Begin of the newest period that is whole: the last there is, or where one is missing too long already. */
  const newest = (stepSecs: 10 | 60 | 600): number => {
    const last =
      stepSecs === 10 ? (metrics.samples().at(-1)?.at_secs ?? null) : metrics.stored(stepSecs)
    const now = Math.floor(clock.nowMs() / 1000)
    // A period that is a step late may still come: its time is not given away as a gap.
    const due = Math.floor(now / stepSecs) * stepSecs - 2 * stepSecs
    return last === null ? due : Math.max(last, due)
  }

  /** Samples, and before the first of this process the minutes an earlier one has stored. */
  const fine = async (from: number): Promise<MetricRow[]> => {
    const samples = metrics.samples()
    const first = samples[0]?.at_secs ?? Math.floor(clock.nowMs() / 1000)
    if (first <= from) return [...samples]
    const start = Math.floor(from / MINUTE_SECS) * MINUTE_SECS
    const minutes = await store.metrics(60, start, first, hostId)
    // The minute of the first sample reaches beyond it: what is missing from there on is a gap.
    const spread = minutes.flatMap((row) =>
      historyTimes(
        row.at_secs,
        Math.min(row.at_secs + MINUTE_SECS, first) - SAMPLE_SECS,
        SAMPLE_SECS,
      ).map((at_secs) => ({ ...row, at_secs })),
    )
    return [...spread, ...samples]
  }

  return {
    async read(range, sinceSecs) {
      if (clock.nowMs() - metrics.triedMs() > IDLE_MS) await metrics.sample()
      const { lengthSecs, stepSecs } = HISTORY_RANGES[range]
      const to = newest(stepSecs)
      const from = to - lengthSecs + stepSecs
      const asked = Math.floor((sinceSecs ?? 0) / stepSecs) * stepSecs + stepSecs
      const first = Math.max(from, asked)
      const times = historyTimes(first, to, stepSecs)
      const rows =
        times.length === 0
          ? []
          : stepSecs === 10
            ? await fine(first)
            : await store.metrics(stepSecs, first, to + stepSecs, hostId)
      return { range, step_secs: stepSecs, from, to, times, series: historySeries(times, rows) }
    },
  }
}
