import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the loop is looked at, in milliseconds; a stall is told to about so much. */
const RESOLUTION_MS = 1
/** How long it goes on looking after a question. */
const WATCHED_MS = 60_000

/**
 * By how much this process's event loop was late: whatever kept it, work of its own,
 * a collection of garbage, or the lack of a processor. Looks only once it was asked,
 * since looking wakes the process a thousand times a second, and for a minute after
 * the last question.
 */
export class StallWatch {
  #delays: ReturnType<typeof monitorEventLoopDelay> | null = null
  #end: NodeJS.Timeout | null = null

  /** The longest since the last question, in milliseconds; 0 when there was none within a minute. */
  longestMs(): number {
    const longest = this.#delays?.max ?? 0
    this.#delays?.reset()
    if (this.#delays === null) {
      this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      this.#delays.enable()
    }
    if (this.#end !== null) clearTimeout(this.#end)
    this.#end = setTimeout(() => this.#stop(), WATCHED_MS).unref()
    return longest / 1e6
  }

  #stop(): void {
    this.#delays?.disable()
    this.#delays = null
    this.#end = null
  }
}
