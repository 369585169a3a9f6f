import { randomUUID } from 'node:crypto'
import type { TrafficBytes } from './traffic-meter.ts'

/** What was sent since the batch before. */
export interface TrafficBatch {
  /** Repeats until it is acknowledged, so that a reader that died can tell what it has. */
  batch: string
  bytes: TrafficBytes
}

/**
 * Sums the traffic of all workers into batches for the one who keeps the books.
 * A batch is answered again until the next call names it: a reader that stores
 * a batch's name together with its bytes counts nothing twice and loses nothing.
 */
export class TrafficLedger {
  #open: TrafficBytes = {}
  #handed: TrafficBatch | null = null

  note(bytes: TrafficBytes): void {
    for (const [name, count] of Object.entries(bytes))
      this.#open[name] = (this.#open[name] ?? 0) + count
  }

  /** `acknowledged`: name of the batch that the caller has stored; null when it has none. */
  read(acknowledged: string | null): TrafficBatch {
    if (this.#handed !== null && this.#handed.batch !== acknowledged) return this.#handed
    this.#handed = { batch: randomUUID(), bytes: this.#open }
    this.#open = {}
    return this.#handed
  }
}
