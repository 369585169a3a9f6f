/** Runs work one after another per key; different keys do not wait for each other. */
export interface KeyedLock {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

export const createKeyedLock = (): KeyedLock => {
  const tails = new Map<string, Promise<unknown>>()
  return {
    async run(key, work) {
      const before = tails.get(key) ?? Promise.resolve()
      const mine = before.then(work, work)
      // What waits must not see a failure that is not its own.
      const tail = mine.catch(() => undefined)
      tails.set(key, tail)
      try {
        return await mine
      } finally {
        if (tails.get(key) === tail) tails.delete(key)
      }
    },
  }
}
