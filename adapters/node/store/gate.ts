import { unavailable } from '#handlers/errors.ts'

/** Lets `slots` works run at once; others wait their turn. Rejects with 503 when `maxWaiting` wait already. */
export const createGate = (slots: number, maxWaiting: number) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= slots) {
      if (waiting.length >= maxWaiting) {
        throw unavailable('Too many people are logging in at once. Try again in a moment.')
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      // A slot is handed on rather than freed, so that nobody overtakes.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
