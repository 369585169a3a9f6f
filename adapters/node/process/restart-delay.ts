/** A child that served this long is healthy: its next death is a first one again. */
export const STABLE_MS = 1000
const LONGEST_MS = 5000

/** Pause before a restart, after so many deaths in a row: none the first time, then 250 ms doubling up to 5 s. */
export const restartDelayMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_MS, 125 * 2 ** failures)
