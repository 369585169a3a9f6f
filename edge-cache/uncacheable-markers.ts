/**
 * Remembers for some seconds which pages proved uncacheable (hit-for-miss), so
 * that requests for them do not wait for one another. A page that becomes
 * cacheable meanwhile is stored all the same.
 */
export interface UncacheableMarkers {
  has(id: string): boolean
  set(id: string): void
  clear(id: string): void
}

/** `maxMarkers` bounds the memory; the oldest go first. */
export const createUncacheableMarkers = (options: {
  forMs: number
  nowMs(): number
  maxMarkers?: number
}): UncacheableMarkers => {
  const until = new Map<string, number>()
  const maxMarkers = options.maxMarkers ?? 10_000
  return {
    has(id) {
      const untilMs = until.get(id)
      if (untilMs === undefined) return false
      if (options.nowMs() < untilMs) return true
      until.delete(id)
      return false
    },
    set(id) {
      until.delete(id)
      until.set(id, options.nowMs() + options.forMs)
      if (until.size <= maxMarkers) return
      const oldest = until.keys().next().value
      if (oldest !== undefined) until.delete(oldest)
    },
    clear: (id) => void until.delete(id),
  }
}
