import type { Changes } from '../records/changes.ts'

/** Between two looks, while somebody waits. */
const LOOK_MS = 1000

/**
 * The same changes, and those that other instances make: while somebody waits, the number of the
 * latest change is looked at.
 */
export const watchChanges = (
  changes: Changes,
  latest: () => Promise<number>,
  lookMs = LOOK_MS,
): Changes => {
  let waiting = 0
  let known: number | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async (): Promise<void> => {
    timer = undefined
    // Where the store is away, whoever waits hears of it when he reads.
    const number = await latest().catch(() => null)
    if (number !== null) {
      // What came between the reading and the first look is not known to be old.
      if (number !== known) changes.changed()
      known = number
    }
    plan()
  }
  const plan = (): void => {
    if (waiting > 0) timer ??= setTimeout(() => void look(), lookMs)
    else known = null
  }
  return {
    get seen() {
      return changes.seen
    },
    changed: () => changes.changed(),
    async next(seen, timeoutMs, signal) {
      waiting += 1
      plan()
      try {
        await changes.next(seen, timeoutMs, signal)
      } finally {
        waiting -= 1
      }
    },
  }
}
