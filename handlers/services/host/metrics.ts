import { averageValues, NO_VALUES } from './average-values.ts'
import type { CounterReading } from '../../domain/host/counter-rates.ts'
import { counterRates } from '../../domain/host/counter-rates.ts'
import type { MetricRow } from '../../ports/store/metrics.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Distance of samples. */
export const SAMPLE_SECS = 10
const MINUTE_SECS = 60
const ROLLED_SECS = 600
/** How far back single samples are held in memory. */
const HELD_SECS = 3600
const DAY_SECS = 86_400
/** A little longer than the ranges that show them. */
const KEEP_MINUTES_SECS = 25 * 3600
const KEEP_ROLLED_SECS = 8 * DAY_SECS
/** Periods that a boundary makes anew, beside the last: their minutes may have come late. */
const ROLL_BACK_SECS = 3600

/** Measures one host, and keeps what it measured: samples in memory, averages in the store. */
export interface Metrics {
  /** Takes one sample; to be called every ten seconds. Calls while one is under way share it. Never fails. */
  sample(): Promise<void>
  /** Writes the minute that has begun, before the process ends. */
  flush(): Promise<void>
  /** Samples held, oldest first; `at_secs` are multiples of ten. */
  samples(): readonly MetricRow[]
  /** When a sample was last tried, unix milliseconds; 0: never. */
  triedMs(): number
  /** Beginning of the newest period that is stored; null before the first of this process. */
  stored(step: 60 | 600): number | null
}

const startOf = (secs: number, step: number): number => Math.floor(secs / step) * step

export const createMetrics = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'>,
  hostId: number = LOCAL_HOST,
): Metrics => {
  const { store, host, clock, log } = deps
  let held: MetricRow[] = []
  let reading: CounterReading | null = null
  let triedMs = 0
  let underWay: Promise<void> | null = null
  const told = { host: '', store: '' }
  const stored: Record<60 | 600, number | null> = { 60: null, 600: null }

  /** A cause is told once, not every ten seconds. */
  const tell = (of: 'host' | 'store', cause: unknown): void => {
    const text = cause === null ? '' : String(cause)
    if (text !== '' && text !== told[of])
      log.warn('the history of the host has a gap', { of, host: hostId, error: text })
    told[of] = text
  }

  const measure = async (atSecs: number): Promise<MetricRow> => {
    const [info, counters] = await Promise.allSettled([
      host.of(hostId).system.info(),
      host.of(hostId).webServer.counters(),
    ])
    const before = reading
    reading =
      counters.status === 'fulfilled' && counters.value !== null
        ? { ...counters.value, atMs: clock.nowMs() }
        : null
    const failed = [info, counters].find((one) => one.status === 'rejected')
    tell('host', failed === undefined ? null : failed.reason)
    return {
      ...NO_VALUES,
      ...(info.status === 'rejected'
        ? {}
        : {
            cpu_percent: info.value.cpu_usage_percent,
            memory_used_mb: info.value.memory_used_mb,
            memory_total_mb: info.value.memory_total_mb,
            disk_used_mb: info.value.disk_used_mb,
            load_1: info.value.load_average[0],
            load_5: info.value.load_average[1],
            load_15: info.value.load_average[2],
          }),
      ...counterRates(before, reading),
      at_secs: atSecs,
    }
  }

  /** Everything that a new period of ten minutes brings with it. */
  const rollUp = async (boundary: number): Promise<void> => {
    // The first time, what an earlier process had no time for.
    const back = stored[600] === null ? DAY_SECS : ROLL_BACK_SECS
    await store.rollMetrics(startOf(boundary - back, ROLLED_SECS), boundary, hostId)
    stored[600] = boundary - ROLLED_SECS
    const ahead = boundary + DAY_SECS
    await store.pruneMetrics(60, boundary - KEEP_MINUTES_SECS, ahead)
    await store.pruneMetrics(600, boundary - KEEP_ROLLED_SECS, ahead)
  }

  const writeMinute = async (minute: number): Promise<void> => {
    const within = held.filter(({ at_secs }) => startOf(at_secs, MINUTE_SECS) === minute)
    if (within.length === 0) return
    await store.putMetric(60, { at_secs: minute, ...averageValues(within) }, hostId)
    stored[60] = minute
  }

  const take = async (): Promise<void> => {
    triedMs = clock.nowMs()
    const at = Math.round(triedMs / 1000 / SAMPLE_SECS) * SAMPLE_SECS
    const row = await measure(at)
    const last = held.at(-1)?.at_secs
    // Times rise, also when the clock was set back: then what lies ahead never was.
    held = held.filter(({ at_secs }) => at_secs < at && at_secs >= at - HELD_SECS)
    held.push(row)
    const minute = startOf(at, MINUTE_SECS)
    try {
      if (last !== undefined && startOf(last, MINUTE_SECS) < minute)
        await writeMinute(startOf(last, MINUTE_SECS))
      const boundary = startOf(at, ROLLED_SECS)
      if (stored[600] === null || stored[600] !== boundary - ROLLED_SECS) await rollUp(boundary)
      tell('store', null)
    } catch (error) {
      tell('store', error)
    }
  }

  return {
    sample() {
      underWay ??= take().finally(() => {
        underWay = null
      })
      return underWay
    },
    async flush() {
      await underWay
      const last = held.at(-1)?.at_secs
      if (last !== undefined) await writeMinute(startOf(last, MINUTE_SECS))
    },
    samples: () => held,
    triedMs: () => triedMs,
    stored: (step) => stored[step],
  }
}
