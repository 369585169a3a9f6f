import type { RateLimit } from '../../ports/host/site-settings.ts'

/** How much of the limit an address has used. */
interface Level {
  /** When all of it will have come back, milliseconds. */
  emptyMs: number
  /** Requests let through here that other workers do not know of. */
  untold: number
}

/** Others are told when an eighth of what may come at once is untold in all workers together. */
const STEPS = 8

/** Addresses that are remembered for certain; as many again may be. */
const MAX_ADDRESSES = 10_000

/**
 * What addresses have used of one limit (the generic cell rate algorithm: a moment for each
 * says all). The addresses seen last are kept in two halves, of which the older one goes when
 * the younger is full, so each of a flood of addresses costs as much as one alone, and all of
 * them take bounded room.
 */
export class LimitMeter {
  readonly limit: RateLimit
  readonly #below: string
  /** One request comes back so often. */
  readonly #everyMs: number
  /** An address that has used more must wait; a hundredth of a request is what adding up may lose. */
  readonly #roomMs: number
  /** So many requests of one address need not be told. */
  readonly #step: number
  #young = new Map<string, Level>()
  #old = new Map<string, Level>()

  constructor(limit: RateLimit, workers: number) {
    this.limit = limit
    this.#below = limit.path.endsWith('/') ? limit.path : `${limit.path}/`
    this.#everyMs = (limit.per_secs * 1000) / limit.requests
    this.#roomMs = (limit.burst - 0.99) * this.#everyMs
    this.#step = workers === 1 ? Infinity : Math.max(1, Math.floor(limit.burst / STEPS / workers))
  }

  /** Addresses that are remembered. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  /** Whether it is for a path: its own, or one below. */
  isFor(path: string): boolean {
    const below = this.#below
    return path.startsWith(below) || (path.length < below.length && below === `${path}/`)
  }

  /** Milliseconds until a request is within the limit; 0 or less: it is. */
  waitMs(address: string, nowMs: number): number {
    const level = this.#young.get(address) ?? this.#old.get(address)
    return level === undefined ? 0 : level.emptyMs - nowMs - this.#roomMs
  }

  /** Counts a request that is let through; answers how many other workers should be told of now. */
  count(address: string, nowMs: number): number {
    const level = this.add(address, 1, nowMs)
    if (++level.untold <= this.#step) return 0
    const { untold } = level
    level.untold = 0
    return untold
  }

  /** Takes back a request that does not count after all. */
  giveBack(address: string): void {
    const level = this.#young.get(address) ?? this.#old.get(address)
    if (level === undefined) return
    level.emptyMs -= this.#everyMs
    level.untold--
  }

  /** Counts requests that others have let through. */
  add(address: string, count: number, nowMs: number): Level {
    let level = this.#young.get(address)
    if (level === undefined) {
      level = this.#old.get(address)
      if (level === undefined) level = { emptyMs: 0, untold: 0 }
      else this.#old.delete(address)
      if (this.#young.size >= MAX_ADDRESSES) this.forget()
      this.#young.set(address, level)
    }
    level.emptyMs = Math.max(level.emptyMs, nowMs) + count * this.#everyMs
    return level
  }

  /** Lets go of the addresses that have not asked for longest. */
  forget(): void {
    this.#old = this.#young
    this.#young = new Map()
  }
}
