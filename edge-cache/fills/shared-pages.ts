/** Text of all ids that are remembered. */
const MAX_TEXT_LENGTH = 4 * 2 ** 20

/**
 * Which addresses are known to have a page for everybody, though it is not stored at
 * the moment: there a neutral request can be the first. Bounded; the oldest go first.
 */
export interface SharedPages {
  /** Whether the address had a page for everybody when it was seen last. */
  has(id: string): boolean
  /** Makes it the newest. */
  add(id: string): void
  /** Its response was somebody's own, after all. */
  delete(id: string): void
}

/** Keeps at most 4 Mi characters of ids. */
export const createSharedPages = (): SharedPages => {
  const ids = new Set<string>()
  let textLength = 0
  const remove = (id: string): void => {
    if (ids.delete(id)) textLength -= id.length
  }
  return {
    has: (id) => ids.has(id),
    add(id) {
      remove(id)
      ids.add(id)
      textLength += id.length
      for (const oldest of ids) {
        if (textLength <= MAX_TEXT_LENGTH) break
        remove(oldest)
      }
    },
    delete: remove,
  }
}
