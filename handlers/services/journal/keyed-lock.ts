import type { Ambient, Judge } from '../../ports/judge.ts'

/**
 * Runs work one after another per key; different keys do not wait for each other. What a request
 * asked for is judged again when its turn comes: the right may have ended while it waited. Not
 * within a turn: what was begun is not left half done.
 */
export interface KeyedLock {
  /** `urgent` work goes before all that waits, but not before what runs. */
  run<T>(key: string, work: () => Promise<T>, urgent?: boolean): Promise<T>
  /** Keys that work is running for. */
  held(): string[]
  /** Whether `urgent` work waits for what runs. */
  isUrged(key: string): boolean
}

/**
 * workerd ends a request that waits for nothing but another request ("your
 * code had hung"). A timer of its own, so often renewed, shows that it lives.
 */
const SIGN_OF_LIFE_MS = 100

interface Queue {
  urgent: (() => void)[]
  ordinary: (() => void)[]
}

/** @param hold makes sure that no other process works for the key; answers how to end that. Default: nobody else does. */
export const createKeyedLock = (
  judges: Ambient<Judge | null>,
  hold: (key: string, urgent: boolean) => Promise<() => Promise<void>> = () =>
    Promise.resolve(() => Promise.resolve()),
): KeyedLock => {
  /** Keys that work is running for. */
  const queues = new Map<string, Queue>()

  const enter = async (key: string, urgent: boolean): Promise<void> => {
    const queue = queues.get(key)
    if (queue === undefined) {
      queues.set(key, { urgent: [], ordinary: [] })
      return
    }
    let isTurn = false
    const turn = new Promise<void>((resolve) => {
      queue[urgent ? 'urgent' : 'ordinary'].push(() => {
        isTurn = true
        resolve()
      })
    })
    while (!isTurn) {
      let wake = (): void => undefined
      const pause = new Promise<void>((resolve) => {
        wake = resolve
      })
      const timer = setTimeout(wake, SIGN_OF_LIFE_MS)
      await Promise.race([turn, pause])
      clearTimeout(timer)
    }
  }

  const leave = (key: string): void => {
    const queue = queues.get(key)
    const next = queue?.urgent.shift() ?? queue?.ordinary.shift()
    if (next === undefined) queues.delete(key)
    else next()
  }

  return {
    async run(key, work, urgent = false) {
      await enter(key, urgent)
      try {
        const release = await hold(key, urgent)
        try {
          await judges.getStore()?.()
          return await judges.run(null, work)
        } finally {
          await release()
        }
      } finally {
        leave(key)
      }
    },
    held: () => [...queues.keys()],
    isUrged: (key) => (queues.get(key)?.urgent.length ?? 0) > 0,
  }
}
