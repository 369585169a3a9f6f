const WINDOW_MS = 3_600_000
/** Far below what all marks together may be, so that no account's purges push out those of others. */
const MARKS_PER_WINDOW = 2000

/** Bounds the marks that purges of single pages and tags leave behind, by who owns the site. */
export interface PurgeBudget {
  /** Takes `marks` from what the owner has left in this hour; false, taking nothing, when that is less. */
  take(owner: string, marks: number): boolean
}

/**
 * Marks are bounded in sum: where one must go, pages of all sites that are older than
 * it go with it. An owner that has used up its part still gets its pages purged, but
 * the site as a whole, which leaves one mark however often it is done.
 */
export const createPurgeBudget = (nowMs: () => number): PurgeBudget => {
  const owners = new Map<string, { sinceMs: number; used: number }>()
  return {
    take(owner, marks) {
      const now = nowMs()
      const known = owners.get(owner)
      const own = known && now - known.sinceMs < WINDOW_MS ? known : { sinceMs: now, used: 0 }
      if (own.used + marks > MARKS_PER_WINDOW) return false
      own.used += marks
      owners.set(owner, own)
      return true
    },
  }
}
