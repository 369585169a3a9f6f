import { addCounters } from '#edge-cache/index.ts'
import type { PageCacheCounters } from '#edge-cache/types.ts'

/**
 * Counters of all workers since the start, those that ended included: sums that
 * never go down, as whoever computes rates from them needs it. Of a worker that
 * was killed, what it counted since its last report is lost.
 */
export class CounterLedger<Worker extends object> {
  readonly #latest = new Map<Worker, PageCacheCounters>()
  readonly #gone = new WeakSet<Worker>()
  #retired: PageCacheCounters = addCounters([])

  /** Takes what a worker has counted so far. */
  note(worker: Worker, counters: PageCacheCounters): void {
    if (!this.#gone.has(worker)) this.#latest.set(worker, counters)
  }

  /** The worker is gone: what it said last is final. */
  retire(worker: Worker): void {
    this.#gone.add(worker)
    const last = this.#latest.get(worker)
    this.#latest.delete(worker)
    if (last !== undefined) this.#retired = addCounters([this.#retired, last])
  }

  sum(): PageCacheCounters {
    return addCounters([this.#retired, ...this.#latest.values()])
  }
}
