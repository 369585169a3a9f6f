/**
 * Remembers for some seconds which pages proved uncacheable (hit-for-miss), so
 * that requests for them do not wait for one another. A page that becomes
 * cacheable meanwhile is stored all the same.
 */
export interface UncacheableMarkers {
  /** Whether it was marked within the time that a mark holds. */
  has(id: string): boolean
  /** Marks it from now on; the time begins anew. */
  set(id: string): void
  /** It was stored after all. */
  clear(id: string): void
}

/** Text of all marked ids. */
const MAX_TEXT_LENGTH = 4 * 2 ** 20

/** `maxMarkers` bounds the memory, as does the length of the ids; the oldest go first. */
export const createUncacheableMarkers = (options: {
  forMs: number
  nowMs(): number
  maxMarkers?: number
}): UncacheableMarkers => {
  const until = new Map<string, number>()
  const maxMarkers = options.maxMarkers ?? 10_000
  let textLength = 0
  const forget = (id: string): void => {
    if (until.delete(id)) textLength -= id.length
  }
  return {
    has(id) {
      const untilMs = until.get(id)
      if (untilMs === undefined) return false
      if (options.nowMs() < untilMs) return true
      forget(id)
      return false
    },
    set(id) {
      forget(id)
      until.set(id, options.nowMs() + options.forMs)
      textLength += id.length
      for (const oldest of until.keys()) {
        if (until.size <= maxMarkers && textLength <= MAX_TEXT_LENGTH) break
        forget(oldest)
      }
    },
    clear: forget,
  }
}
