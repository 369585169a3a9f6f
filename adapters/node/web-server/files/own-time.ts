import { openSync, readSync } from 'node:fs'

/** Three numbers: nanoseconds on a processor, nanoseconds ready but without one, turns. */
const SCHEDSTAT = '/proc/thread-self/schedstat'
const SIZE_BYTES = 64
const NS_PER_MS = 1e6

/**
 * Tells what a call on the event loop took itself from the time in which the system
 * had given the processor to others: on a busy machine a look of microseconds then
 * takes as long as one at a slow file system. The system is asked after a slow call
 * only, so what was lost since the last such question is taken off; in all, never more
 * is taken off than was lost, and each lost millisecond once.
 */
export class OwnTime {
  readonly #path: string
  readonly #bytes = Buffer.alloc(SIZE_BYTES)
  #fd: number | null = null
  #lostMs = 0

  /** `path`: the numbers of the thread that asks; where the system keeps none, no time counts as lost. */
  constructor(path = SCHEDSTAT) {
    this.#path = path
  }

  /** Of a call that has just ended after `tookMs`: the milliseconds that it took itself. */
  of(tookMs: number): number {
    const lostMs = this.#read()
    const sinceMs = lostMs - this.#lostMs
    this.#lostMs = lostMs
    return Math.max(0, tookMs - sinceMs)
  }

  #read(): number {
    try {
      this.#fd ??= openSync(this.#path, 'r')
      const size = readSync(this.#fd, this.#bytes, 0, SIZE_BYTES, 0)
      const ns = Number(this.#bytes.toString('latin1', 0, size).split(' ')[1])
      return Number.isFinite(ns) ? ns / NS_PER_MS : this.#lostMs
    } catch {
      return this.#lostMs
    }
  }
}

/** The one of this thread: two would take the same lost time off twice. */
export const ownTime = new OwnTime()
