import { SAMPLE_SECS } from '#handlers/services/host/metrics.ts'

const INTERVAL_MS = SAMPLE_SECS * 1000

/**
 * Calls `sample` at every full ten seconds of the clock, the first time at once.
 * Each is timed anew, so the samples do not wander over the periods they stand for.
 */
export const startSampling = (sample: () => Promise<void>): { stop(): void } => {
  let timer: NodeJS.Timeout
  const next = (): void => {
    void sample()
    const left = INTERVAL_MS - (Date.now() % INTERVAL_MS)
    // A timer may fire a little early: the full ten seconds that are due then are this call's own.
    timer = setTimeout(next, left < INTERVAL_MS / 2 ? left + INTERVAL_MS : left).unref()
  }
  next()
  return { stop: () => clearTimeout(timer) }
}
