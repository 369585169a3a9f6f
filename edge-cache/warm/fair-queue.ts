/** What waits, taken in turns from one owner after the other, and of each owner in the order it came. */
export interface FairQueue<T> {
  /** Behind everything of the same owner. */
  push(owner: string, item: T): void
  /** Undefined when nothing waits. */
  shift(): T | undefined
  /** Of all owners together. */
  size(): number
  /** Drops what waits. */
  clear(): void
}

/** So that whoever brings very much keeps nobody waiting for all of it. */
export const createFairQueue = <T>(): FairQueue<T> => {
  /** Owners in the order of their turns; none is empty. */
  const owners = new Map<string, T[]>()
  let size = 0
  return {
    push(owner, item) {
      const own = owners.get(owner)
      if (own === undefined) owners.set(owner, [item])
      else own.push(item)
      size++
    },
    shift() {
      const turn = owners.entries().next().value
      if (turn === undefined) return undefined
      const [owner, own] = turn
      owners.delete(owner)
      const item = own.shift()
      if (own.length > 0) owners.set(owner, own)
      size--
      return item
    },
    size: () => size,
    clear() {
      owners.clear()
      size = 0
    },
  }
}
