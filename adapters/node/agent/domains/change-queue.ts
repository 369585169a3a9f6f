/** One caller's change, waiting for its turn. */
interface Waiting<T> {
  item: T
  resolve(): void
  reject(error: unknown): void
}

/**
 * Runs changes one batch after the other; what arrives during a batch forms the
 * next one. When `carryOut` fails for a batch of several, each is tried alone,
 * so that one caller's mistake is not another's failure.
 */
export const createChangeQueue = <T>(
  carryOut: (items: T[]) => Promise<void>,
): ((item: T) => Promise<void>) => {
  let waiting: Waiting<T>[] = []
  let running = false

  const runBatch = async (batch: Waiting<T>[]): Promise<void> => {
    try {
      await carryOut(batch.map(({ item }) => item))
      for (const { resolve } of batch) resolve()
    } catch (error) {
      const [only] = batch
      if (batch.length === 1) only?.reject(error)
      else for (const one of batch) await runBatch([one])
    }
  }

  const drain = async (): Promise<void> => {
    if (running) return
    running = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await runBatch(batch)
    }
    running = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      void drain()
    })
}
