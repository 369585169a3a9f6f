/** Wall-clock time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
}
