import type { CacheInsight } from '$lib/api/types'
import { timestampMs } from '$lib/format/timestamp'

const MINUTES = 60
const MINUTE_SECS = 60

/** Processor seconds of each of the last 60 minutes until `nowMs`; minutes that are not told of had none. */
export const cpuCourse = (
  minutes: CacheInsight['worker_cpu'],
  nowMs: number,
): { times: number[]; seconds: number[] } => {
  const last = Math.floor(nowMs / 1000 / MINUTE_SECS) * MINUTE_SECS
  const known = new Map(minutes.map(({ at, ms }) => [timestampMs(at) / 1000, ms / 1000]))
  const times = Array.from({ length: MINUTES }, (_, i) => last - (MINUTES - 1 - i) * MINUTE_SECS)
  return { times, seconds: times.map((time) => known.get(time) ?? 0) }
}
