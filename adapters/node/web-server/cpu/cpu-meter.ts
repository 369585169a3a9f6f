/** Of so many requests of the fast path one is measured, and counts for all; a power of two. */
const SAMPLED = 64

/** Milliseconds of processor time by primary domain. */
export type CpuTimes = Record<string, number>

/**
 * The time that a worker's event loop spends on each site: only what runs without a
 * pause, never the time that something is waited for.
 */
export class CpuMeter {
  readonly #primaryName: (host: string) => string | null
  #sums = new Map<string, number>()
  #asked = 0

  /** `primaryName`: the virtual host that answers to a name; null for none. */
  constructor(primaryName: (host: string) => string | null) {
    this.#primaryName = primaryName
  }

  /** `site`: a primary domain. */
  add(site: string, ms: number): void {
    this.#sums.set(site, (this.#sums.get(site) ?? 0) + ms)
  }

  /** For each request of the fast path: when it began where it is to be measured, else 0. */
  begin(): number {
    this.#asked = (this.#asked + 1) & (SAMPLED - 1)
    return this.#asked === 0 ? performance.now() : 0
  }

  /** The end of one that is measured. `host`: the requested name, lower case, without port. */
  end(host: string, beganMs: number): void {
    const site = this.#primaryName(host)
    if (site !== null) this.add(site, (performance.now() - beganMs) * SAMPLED)
  }

  /** What was added since the last call. */
  take(): CpuTimes {
    const taken = Object.fromEntries(this.#sums)
    this.#sums = new Map()
    return taken
  }
}
