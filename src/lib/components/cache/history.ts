import type { SiteCacheDetails } from '$lib/api/types'
import { timestampMs } from '$lib/format/timestamp'

const STEP_SECS = 300
const STEPS = 288

/** What the chart of a site draws: a day in steps of five minutes. */
export interface SiteCourse {
  /** Unix seconds. */
  times: number[]
  perMin: number[]
  /** Percent; null where nobody asked for anything. */
  rate: (number | null)[]
}

/** The last 24 hours until `nowMs`; steps that are not told of had no requests. */
export const courseOf = (history: SiteCacheDetails['history'], nowMs: number): SiteCourse => {
  const last = Math.floor(nowMs / 1000 / STEP_SECS) * STEP_SECS
  const known = new Map(history.map((step) => [timestampMs(step.at) / 1000, step]))
  const times = Array.from({ length: STEPS }, (_, i) => last - (STEPS - 1 - i) * STEP_SECS)
  const requests = times.map((time) => {
    const { hits = 0, misses = 0, bypasses = 0 } = known.get(time) ?? {}
    return { hits, all: hits + misses + bypasses }
  })
  return {
    times,
    perMin: requests.map(({ all }) => (all * 60) / STEP_SECS),
    rate: requests.map(({ hits, all }) => (all === 0 ? null : (hits / all) * 100)),
  }
}
