/** Counts what happened within a while, by names. */
export interface RateWindow {
  /** Counts once more, unless that would be more than `most`: then false. */
  take(name: string, most: number): boolean
}

/** Names that are known at a time; beyond these nothing more is let through. */
const MOST_NAMES = 10_000

/** A window begins with the first of a name. A clock that was set back begins it anew. */
export const createRateWindow = (lengthMs: number, nowMs: () => number): RateWindow => {
  const known = new Map<string, { sinceMs: number; count: number }>()
  return {
    take(name, most) {
      const now = nowMs()
      for (const [old, { sinceMs }] of known)
        if (Math.abs(now - sinceMs) >= lengthMs) known.delete(old)
      const entry = known.get(name) ?? { sinceMs: now, count: 0 }
      if (entry.count >= most || (entry.count === 0 && known.size >= MOST_NAMES)) return false
      known.set(name, { ...entry, count: entry.count + 1 })
      return true
    },
  }
}
