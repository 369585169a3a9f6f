const PROBE_MS = 10

/** By how many milliseconds the event loop is late just now; takes at least 10 ms. */
export const measureLagMs = async (): Promise<number> => {
  const startedMs = performance.now()
  await new Promise((resolve) => setTimeout(resolve, PROBE_MS))
  return Math.max(0, performance.now() - startedMs - PROBE_MS)
}
