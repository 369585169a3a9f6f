/** Counters of the web server at one moment. */
export interface CounterReading {
  /** Names one run of the web server; in another one the counters began anew. */
  run: string
  requests: number
  hits: number
  misses: number
  /** When they were read, unix milliseconds. */
  atMs: number
}

/** Averages between two readings; a lookup is a hit or a miss. */
export interface CounterRates {
  requests_per_sec: number
  hits_per_sec: number
  lookups_per_sec: number
}

/** Readings closer together tell more about the clock than about the traffic. */
const MIN_SPAN_MS = 1000
/** Over a longer time an average would hide that nothing was measured. */
const MAX_SPAN_MS = 90_000

/**
 * What was counted between two readings, per second. Null where that cannot be
 * told: no earlier reading, another run, a counter that went down, a clock that
 * was set, or too long a time between them.
 */
export const counterRates = (
  before: CounterReading | null,
  now: CounterReading | null,
): CounterRates | null => {
  if (before === null || now === null || before.run !== now.run) return null
  const spanMs = now.atMs - before.atMs
  if (spanMs < MIN_SPAN_MS || spanMs > MAX_SPAN_MS) return null
  const requests = now.requests - before.requests
  const hits = now.hits - before.hits
  const misses = now.misses - before.misses
  if (Math.min(requests, hits, misses) < 0) return null
  const perSec = (count: number): number => (count * 1000) / spanMs
  return {
    requests_per_sec: perSec(requests),
    hits_per_sec: perSec(hits),
    lookups_per_sec: perSec(hits + misses),
  }
}
