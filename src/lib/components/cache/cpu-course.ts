import type { CacheInsight } from '../../api/types.ts'
import { timestampMs } from '../../format/timestamp.ts'

const MINUTES = 60
const MINUTE_SECS = 60

/**
 * Processor seconds of each of the last 60 minutes until `nowMs`, those before `sinceMs` left out:
 * nothing was counted then. Later minutes that are not told of had none.
 */
export const cpuCourse = (
  minutes: CacheInsight['worker_cpu'],
  nowMs: number,
  sinceMs: number,
): { times: number[]; seconds: number[] } => {
  const last = Math.floor(nowMs / 1000 / MINUTE_SECS) * MINUTE_SECS
  const known = new Map(minutes.map(({ at, ms }) => [timestampMs(at) / 1000, ms / 1000]))
  const counted = Math.min(sinceMs / 1000, ...known.keys())
  const begin = Math.floor(counted / MINUTE_SECS) * MINUTE_SECS
  const times = Array.from(
    { length: MINUTES },
    (_, i) => last - (MINUTES - 1 - i) * MINUTE_SECS,
  ).filter((time) => time >= begin)
  return { times, seconds: times.map((time) => known.get(time) ?? 0) }
}
