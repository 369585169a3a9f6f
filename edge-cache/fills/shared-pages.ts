/** Text of all ids that are remembered. */
const MAX_TEXT_LENGTH = 4 * 2 ** 20

/**
 * Which addresses are known to have a page for everybody, though it is not stored at
 * the moment: there a neutral request can be the first. Bounded; the oldest go first.
 */
export interface SharedPages {
  has(id: string): boolean
  add(id: string): void
  delete(id: string): void
}

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
