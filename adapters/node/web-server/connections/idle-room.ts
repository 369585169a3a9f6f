/** A connection that may be closed without anyone missing a response. */
export interface IdleConnection {
  /** Since when it does nothing, milliseconds of the wall clock; null while it does something. */
  readonly idleSinceMs: number | null
  closeIdle(): void
}

/** Candidates found by one look, so that a flood costs one look per so many connections. */
const CANDIDATES = 1024
/** After a look that found nobody the next one waits so long, milliseconds. */
const PAUSE_MS = 100

/** Closes idle connections, the one that idles longest first. */
export class IdleRoom {
  readonly #sources: (() => Iterable<IdleConnection>)[] = []
  /** The one that idles longest stands last. */
  #candidates: { connection: IdleConnection; sinceMs: number }[] = []
  #nobodyUntilMs = 0

  /** `source` answers connections of one kind, busy ones too. */
  add(source: () => Iterable<IdleConnection>): void {
    this.#sources.push(source)
  }

  /** Closes up to `count`; answers how many there were. */
  close(count: number): number {
    let closed = 0
    while (closed < count) {
      const next = this.#candidates.pop()
      if (next === undefined) {
        if (!this.#look()) break
        continue
      }
      // It was used since, or it is gone.
      if (next.connection.idleSinceMs !== next.sinceMs) continue
      next.connection.closeIdle()
      closed++
    }
    return closed
  }

  #look(): boolean {
    const nowMs = performance.now()
    if (nowMs < this.#nobodyUntilMs) return false
    const found: { connection: IdleConnection; sinceMs: number }[] = []
    for (const source of this.#sources) {
      for (const connection of source()) {
        const sinceMs = connection.idleSinceMs
        if (sinceMs !== null) found.push({ connection, sinceMs })
      }
    }
    found.sort((a, b) => a.sinceMs - b.sinceMs)
    this.#candidates = found.slice(0, CANDIDATES).reverse()
    if (found.length === 0) this.#nobodyUntilMs = nowMs + PAUSE_MS
    return found.length > 0
  }
}
