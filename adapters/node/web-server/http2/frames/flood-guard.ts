/** What a client may do at once, and lastingly per second, that costs us more than it costs the client. */
const LIMITS = {
  /** Streams that the client resets (CVE-2023-44487). A browser that leaves a page resets what it had open. */
  reset: { burst: 256, perSecond: 32 },
  /** PING and SETTINGS frames, each of which we have to answer (CVE-2019-9512, CVE-2019-9515). */
  control: { burst: 64, perSecond: 8 },
  /** Requests that were refused before they reached a site. */
  refused: { burst: 256, perSecond: 32 },
} as const

export type FloodKind = keyof typeof LIMITS

/** Counts one connection's cheap frames in leaky buckets. */
export class FloodGuard {
  readonly #level: Record<FloodKind, number> = { reset: 0, control: 0, refused: 0 }
  #drainedMs: number

  constructor(nowMs: number) {
    this.#drainedMs = nowMs
  }

  /** False: it is a flood, the connection must end. */
  allows(kind: FloodKind, nowMs: number): boolean {
    this.#drain(nowMs)
    return ++this.#level[kind] <= LIMITS[kind].burst
  }

  #drain(nowMs: number): void {
    const seconds = Math.max(0, nowMs - this.#drainedMs) / 1000
    if (seconds === 0) return
    this.#drainedMs = nowMs
    for (const kind of Object.keys(LIMITS) as FloodKind[]) {
      this.#level[kind] = Math.max(0, this.#level[kind] - seconds * LIMITS[kind].perSecond)
    }
  }
}
