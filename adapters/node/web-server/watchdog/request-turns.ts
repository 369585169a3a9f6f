import type { SiteTurns, TurnPart } from '#handlers/sites/origins/site-turns.ts'
import type { CpuMeter } from '../cpu/cpu-meter.ts'
import type { Heartbeat } from './heartbeat.ts'

/**
 * Whose work a worker does: marked in the heartbeat, and its time counted. A turn ends
 * with the next one, with a request of the fast path, or when the event loop has gone
 * round: an immediate comes behind all that one round of it has to do, and before it waits.
 */
export class RequestTurns implements SiteTurns {
  readonly #heartbeat: Heartbeat | null
  readonly #cpu: CpuMeter
  #site = ''
  #target = ''
  /** Null: it is nobody's turn. */
  #part: TurnPart | null = null
  #sinceMs = 0
  #awaitsEnd = false

  /** `heartbeat` null: nobody watches. */
  constructor(heartbeat: Heartbeat | null, cpu: CpuMeter) {
    this.#heartbeat = heartbeat
    this.#cpu = cpu
  }

  enter(site: string, method: string, target: string, part: TurnPart): void {
    if (this.#part === part && this.#target === target && this.#site === site) return
    if (!this.#awaitsEnd) {
      this.#awaitsEnd = true
      setImmediate(this.#roundEnded)
    }
    const nowMs = performance.now()
    if (this.#part !== null) this.#cpu.add(this.#site, nowMs - this.#sinceMs)
    this.#sinceMs = nowMs
    this.#site = site
    this.#target = target
    this.#part = part
    this.#heartbeat?.mark({ part, site, method, target })
  }

  /** What comes now is somebody else's. */
  leave(): void {
    if (this.#part === null) return
    this.#part = null
    this.#cpu.add(this.#site, performance.now() - this.#sinceMs)
  }

  readonly #roundEnded = (): void => {
    this.#awaitsEnd = false
    this.leave()
    // Whatever comes next is not this request's fault.
    this.#heartbeat?.mark(null)
  }
}
