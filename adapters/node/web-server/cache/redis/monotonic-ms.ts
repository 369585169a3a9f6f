/** Milliseconds of the clock that nobody sets and that all processes of a machine share (CLOCK_MONOTONIC). */
export const monotonicMs = (): number => {
  const [secs, nanos] = process.hrtime()
  return secs * 1000 + nanos / 1e6
}
