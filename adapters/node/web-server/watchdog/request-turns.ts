import type { SiteTurns, TurnPart } from '#handlers/sites/site-turns.ts'
import type { Heartbeat } from './heartbeat.ts'

/**
 * Marks in the heartbeat whose work a worker does. The mark goes when the event loop
 * has gone round: an immediate comes behind all that one round of it has to do, and
 * before it waits.
 */
export class RequestTurns implements SiteTurns {
  readonly #heartbeat: Heartbeat | null
  #site = ''
  #target = ''
  #part: TurnPart | null = null

  /** Null: nobody watches. */
  constructor(heartbeat: Heartbeat | null) {
    this.#heartbeat = heartbeat
  }

  enter(site: string, method: string, target: string, part: TurnPart): void {
    if (this.#part === null) setImmediate(this.#leave)
    else if (this.#part === part && this.#target === target && this.#site === site) return
    this.#site = site
    this.#target = target
    this.#part = part
    this.#heartbeat?.mark({ part, site, method, target })
  }

  readonly #leave = (): void => {
    this.#part = null
    // Whatever comes next is not this request's fault.
    this.#heartbeat?.mark(null)
  }
}
