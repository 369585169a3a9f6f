/** Lets so many pieces of work run at once; the others wait in the order they came. */
export interface Slots {
  run<T>(work: () => Promise<T>): Promise<T>
}

export const createSlots = (atOnce: number): Slots => {
  let free = atOnce
  const waiting: (() => void)[] = []
  return {
    async run(work) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next === undefined) free++
        else next()
      }
    },
  }
}
