/** Names that one meter counts at most until it is read; only names of virtual hosts are added. */
const MAX_NAMES = 100_000

/** Bytes of answers by name, as added since they were read last. */
export type TrafficBytes = Record<string, number>

/**
 * Counts what a worker sent for each virtual host: the bytes of response bodies,
 * as in the access log, and what a WebSocket carried to the client.
 */
export class TrafficMeter {
  readonly #primaryName: (host: string) => string | null
  readonly #isNamed: (host: string) => boolean
  #sums = new Map<string, { bytes: number }>()

  /**
   * `primaryName`: the virtual host that answers to a name; null for none. `isNamed`: whether
   * it has just this name; the many that a wildcard stands for are counted as one.
   */
  constructor(primaryName: (host: string) => string | null, isNamed: (host: string) => boolean) {
    this.#primaryName = primaryName
    this.#isNamed = isNamed
  }

  /** `host`: the requested name, lower case, without port. */
  add(host: string, bytes: number): void {
    if (bytes === 0) return
    const known = this.#sums.get(host)
    if (known !== undefined) {
      known.bytes += bytes
      return
    }
    const site = this.#primaryName(host)
    if (site === null) return
    if (!this.#isNamed(host) && site !== host) return this.add(site, bytes)
    if (this.#sums.size < MAX_NAMES) this.#sums.set(host, { bytes })
  }

  /** What was added since the last call, by the virtual hosts' own names. */
  take(): TrafficBytes {
    const taken = this.#sums
    this.#sums = new Map()
    const sums: TrafficBytes = {}
    for (const [host, { bytes }] of taken) {
      const name = this.#primaryName(host)
      if (name !== null) sums[name] = (sums[name] ?? 0) + bytes
    }
    return sums
  }
}
