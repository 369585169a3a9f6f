import type { ToWorker, WorkerLoad } from './messages.ts'

interface Asked {
  ask(body: ToWorker, timeoutMs: number): Promise<unknown>
}

/** One that does not say in time how busy it is, is too busy. */
const LOAD_TIMEOUT_MS = 500

/** The worker whose event loop is the least late, of those that say so in time, else the first; null: there is none. */
export const leastLate = async <Worker extends Asked>(
  workers: readonly Worker[],
): Promise<Worker | null> => {
  const loads = await Promise.all(
    workers.map(async (worker) => {
      const load = worker.ask({ type: 'load' }, LOAD_TIMEOUT_MS) as Promise<WorkerLoad>
      return { worker, lagMs: await load.then(({ lagMs }) => lagMs).catch(() => Infinity) }
    }),
  )
  return loads.sort((a, b) => a.lagMs - b.lagMs)[0]?.worker ?? null
}
