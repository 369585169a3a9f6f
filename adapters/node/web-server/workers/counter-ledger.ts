import { addCounters, type PageCacheCounters } from '#edge-cache/index.ts'
import type { WorkerCounters } from './messages.ts'

/** Sums over all workers since the start. */
export interface CounterSums extends WorkerCounters {
  cache: PageCacheCounters
}

const add = (all: readonly WorkerCounters[]): CounterSums => {
  const sum = (of: (one: WorkerCounters) => number): number =>
    all.reduce((total, one) => total + of(one), 0)
  return {
    requests: sum((one) => one.requests),
    refused: {
      server: sum((one) => one.refused.server),
      address: sum((one) => one.refused.address),
    },
    cache: addCounters(all.flatMap((one) => one.cache ?? [])),
  }
}

/**
 * Counters of all workers since the start, those that ended included: sums that
 * never go down, as whoever computes rates from them needs it. Of a worker that
 * was killed, what it counted since its last report is lost.
 */
export class CounterLedger<Worker extends object> {
  readonly #latest = new Map<Worker, WorkerCounters>()
  readonly #gone = new WeakSet<Worker>()
  #retired: CounterSums = add([])

  /** Takes what a worker has counted so far. */
  note(worker: Worker, counters: WorkerCounters): void {
    if (!this.#gone.has(worker)) this.#latest.set(worker, counters)
  }

  /** The worker is gone: what it said last is final. */
  retire(worker: Worker): void {
    this.#gone.add(worker)
    const last = this.#latest.get(worker)
    this.#latest.delete(worker)
    if (last !== undefined) this.#retired = add([this.#retired, last])
  }

  sum(): CounterSums {
    return add([this.#retired, ...this.#latest.values()])
  }
}
