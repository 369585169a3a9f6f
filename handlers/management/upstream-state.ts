import type { UpstreamState } from '../ports/host/web/upstream-state.ts'

export type { UpstreamState }

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
