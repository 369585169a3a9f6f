import { unavailable } from '#handlers/errors.ts'

const SLOTS = 4
const MAX_WAITING = 128

/** Lets four run at a time; throws 503 when too many wait. Searching a log is work for processor and disk. */
export const createReadSlots = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= SLOTS) {
      if (waiting.length >= MAX_WAITING)
        throw unavailable('Too many logs are being read at once. Try again in a moment.')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
