/** Runs work one after another per key; different keys do not wait for each other. */
export interface KeyedLock {
  /** `urgent` work goes before all that waits, but not before what runs. */
  run<T>(key: string, work: () => Promise<T>, urgent?: boolean): Promise<T>
}

interface Queue {
  urgent: (() => void)[]
  ordinary: (() => void)[]
}

export const createKeyedLock = (): KeyedLock => {
  /** Keys that work is running for. */
  const queues = new Map<string, Queue>()

  const enter = (key: string, urgent: boolean): Promise<void> => {
    const queue = queues.get(key)
    if (queue !== undefined)
      return new Promise((resolve) => queue[urgent ? 'urgent' : 'ordinary'].push(resolve))
    queues.set(key, { urgent: [], ordinary: [] })
    return Promise.resolve()
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
        return await work()
      } finally {
        leave(key)
      }
    },
  }
}
