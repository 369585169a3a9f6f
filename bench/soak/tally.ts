const MAX_EXAMPLES = 10
const LATENCY_BUCKETS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

/** What happened, counted; bounded however long it goes on. */
export class Tally {
  readonly counts: Record<string, number> = {}
  readonly faults: Record<string, number> = {}
  readonly examples: string[] = []
  lastKillMs = -Infinity
  readonly #latencies = new Array<number>(LATENCY_BUCKETS_MS.length + 1).fill(0)

  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }

  answered(xCache: unknown, tookMs: number): void {
    this.count('requests')
    this.count(xCache === 'HIT' ? 'hits' : xCache === 'MISS' ? 'misses' : 'uncached')
    const bucket = LATENCY_BUCKETS_MS.findIndex((limit) => tookMs <= limit)
    const index = bucket === -1 ? LATENCY_BUCKETS_MS.length : bucket
    this.#latencies[index] = (this.#latencies[index] ?? 0) + 1
  }

  fault(kind: string, example: string): void {
    this.faults[kind] = (this.faults[kind] ?? 0) + 1
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(`${kind}: ${example}`)
  }

  /** Upper bound of the bucket that holds the given part of all answers, in milliseconds. */
  quantileMs(part: number): number {
    const all = this.#latencies.reduce((sum, count) => sum + count, 0)
    let left = all * part
    for (const [index, count] of this.#latencies.entries()) {
      left -= count
      if (left <= 0) return LATENCY_BUCKETS_MS[index] ?? Infinity
    }
    return Infinity
  }
}
