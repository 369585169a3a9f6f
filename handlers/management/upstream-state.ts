/** How one of several addresses of a site's application fares, of one worker or of all. */
export interface UpstreamState {
  /** Primary name of the virtual host. */
  domain: string
  /** As it is configured. */
  upstream: string
  weight: number
  /** Workers that this is the sum of. */
  workers: number
  /** Of them, those that send it requests: each finds out for itself. */
  up: number
  /** Requests under way. */
  active: number
  /** Since each worker started. */
  requests: number
  /** Requests that it did not answer. */
  failures: number
}

/** The sums of what several workers say, in the order in which addresses are first named. */
export const sumOfUpstreams = (said: readonly UpstreamState[]): UpstreamState[] => {
  const sums = new Map<string, UpstreamState>()
  for (const one of said) {
    const key = JSON.stringify([one.domain, one.upstream])
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, { ...one })
    else {
      sum.workers += one.workers
      sum.up += one.up
      sum.active += one.active
      sum.requests += one.requests
      sum.failures += one.failures
    }
  }
  return [...sums.values()]
}
