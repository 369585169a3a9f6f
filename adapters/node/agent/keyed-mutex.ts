import { AsyncLocalStorage } from 'node:async_hooks'

/** Runs the work of one key strictly in order of arrival, of different keys side by side. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>

interface Held {
  key: string
  /** False once the work ended: what it left running in the background no longer holds the key. */
  active: boolean
  outer: Held | undefined
}

const holds = (held: Held | undefined, key: string): boolean =>
  held !== undefined && ((held.active && held.key === key) || holds(held.outer, key))

/**
 * Makes a mutex per key. A failure of one piece of work does not stop the next.
 * Work that takes a key it already holds goes on at once, so that one port may
 * call another for the same account.
 */
export const createKeyedMutex = (): KeyedMutex => {
  const tails = new Map<string, Promise<unknown>>()
  const context = new AsyncLocalStorage<Held>()
  return async (key, work) => {
    const outer = context.getStore()
    if (holds(outer, key)) return work()
    const held: Held = { key, active: true, outer }
    const run = async () => {
      try {
        return await context.run(held, work)
      } finally {
        held.active = false
      }
    }
    const before = tails.get(key) ?? Promise.resolve()
    const mine = before.then(run, run)
    const settled = mine.catch(() => undefined)
    tails.set(key, settled)
    try {
      return await mine
    } finally {
      if (tails.get(key) === settled) tails.delete(key)
    }
  }
}
