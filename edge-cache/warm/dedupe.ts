/**
 * Remembers which targets were accepted lately. Bounded: the oldest go first, so
 * at worst a target is warmed twice.
 */
export interface WarmDedupe {
  /** Whether the target was accepted within the window that ends now. */
  has(id: string, windowMs: number): boolean
  /** Accepted now. */
  add(id: string): void
  /** The target may be asked for again at once: it failed. */
  forget(id: string): void
  /** All may be asked for again: what was warmed has been purged. */
  clear(): void
}

/** `nowMs`: wall clock, milliseconds. */
export const createWarmDedupe = (deps: {
  nowMs(): number
  /** Default 100 000. */
  maxEntries?: number
}): WarmDedupe => {
  const maxEntries = deps.maxEntries ?? 100_000
  /** In the order in which they were accepted. */
  const acceptedAtMs = new Map<string, number>()
  return {
    has(id, windowMs) {
      const atMs = acceptedAtMs.get(id)
      if (atMs === undefined) return false
      const agoMs = deps.nowMs() - atMs
      // A clock that was set back suppresses nothing.
      if (agoMs >= 0 && agoMs < windowMs) return true
      acceptedAtMs.delete(id)
      return false
    },
    add(id) {
      acceptedAtMs.delete(id)
      acceptedAtMs.set(id, deps.nowMs())
      if (acceptedAtMs.size <= maxEntries) return
      const [oldest] = acceptedAtMs.keys()
      if (oldest !== undefined) acceptedAtMs.delete(oldest)
    },
    forget: (id) => void acceptedAtMs.delete(id),
    clear: () => acceptedAtMs.clear(),
  }
}
