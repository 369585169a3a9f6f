import {
  createUncacheableMarkers,
  UNCACHEABLE_MS,
  type UncacheableMarkers,
} from '#edge-cache/index.ts'
import type { FillKind, FillRole } from './messages.ts'

interface Fill<Owner> {
  fill: number
  key: string
  leader: Owner
  followers: { owner: Owner; resolve: (role: FillRole) => void }[]
}

/**
 * The primary's part of coalescing: one worker at a time fills a key, the others
 * wait for what became of it. A leader that dies fails its followers, who then lead.
 * What one of them found to be nobody else's, all know for some seconds.
 */
export class FillBroker<Owner> {
  readonly #byKey = new Map<string, Fill<Owner>>()
  readonly #byId = new Map<number, Fill<Owner>>()
  readonly #uncacheable: UncacheableMarkers
  /** Keys that a worker may still take to be nobody else's: it may have been told so at the last moment. */
  readonly #believed: UncacheableMarkers
  #nextId = 1

  constructor(nowMs: () => number = Date.now) {
    this.#uncacheable = createUncacheableMarkers({ forMs: UNCACHEABLE_MS, nowMs })
    this.#believed = createUncacheableMarkers({ forMs: 2 * UNCACHEABLE_MS, nowMs })
  }

  /** Resolves at once for the first of a key, else when that one settled. */
  join(owner: Owner, key: string): Promise<FillRole> {
    const running = this.#byKey.get(key)
    if (running !== undefined) {
      return new Promise((resolve) => running.followers.push({ owner, resolve }))
    }
    if (this.#uncacheable.has(key))
      return Promise.resolve({ role: 'follower', report: { kind: 'uncacheable' } })
    const fill: Fill<Owner> = { fill: this.#nextId++, key, leader: owner, followers: [] }
    this.#byKey.set(key, fill)
    this.#byId.set(fill.fill, fill)
    return Promise.resolve({ role: 'leader', fill: fill.fill })
  }

  /** Whether the leader has to `give` the page: it is stored, and others wait for it. */
  settle(owner: Owner, id: number, kind: FillKind): boolean {
    const fill = this.#byId.get(id)
    if (fill === undefined || fill.leader !== owner) return false
    this.#byKey.delete(fill.key)
    if (kind === 'uncacheable') {
      this.#uncacheable.set(fill.key)
      this.#believed.set(fill.key)
    }
    if (kind === 'stored' && fill.followers.length > 0) return true
    this.#byId.delete(id)
    if (kind !== 'stored')
      for (const { resolve } of fill.followers) resolve({ role: 'follower', report: { kind } })
    return false
  }

  /**
   * The key has a page now. Whether workers may take it to be nobody else's, so that
   * their visitors would go on past it until they are told.
   */
  stored(key: string): boolean {
    const isBelieved = this.#believed.has(key)
    this.#uncacheable.clear(key)
    this.#believed.clear(key)
    return isBelieved
  }

  /** The page that those who wait for the fill get. */
  give(owner: Owner, id: number, entry: Uint8Array): void {
    const fill = this.#byId.get(id)
    if (fill === undefined || fill.leader !== owner) return
    this.#byId.delete(id)
    for (const { resolve } of fill.followers)
      resolve({ role: 'follower', report: { kind: 'stored', entry } })
  }

  /** A worker is gone: what it led has failed, what it waited for concerns nobody. */
  forget(owner: Owner): void {
    for (const fill of [...this.#byId.values()]) {
      if (fill.leader === owner) this.#fail(fill)
      else fill.followers = fill.followers.filter((follower) => follower.owner !== owner)
    }
  }

  #fail(fill: Fill<Owner>): void {
    this.#byId.delete(fill.fill)
    // The key of a fill that has settled may be another's by now.
    if (this.#byKey.get(fill.key) === fill) this.#byKey.delete(fill.key)
    for (const { resolve } of fill.followers)
      resolve({ role: 'follower', report: { kind: 'failed' } })
  }
}
