import type { FillReport, FillRole } from './messages.ts'

interface Fill<Owner> {
  fill: number
  key: string
  leader: Owner
  followers: { owner: Owner; resolve: (role: FillRole) => void }[]
}

/**
 * The primary's part of coalescing: one worker at a time fills a key, the others
 * wait for its report. A leader that dies fails its followers, who then lead.
 */
export class FillBroker<Owner> {
  readonly #byKey = new Map<string, Fill<Owner>>()
  readonly #byId = new Map<number, Fill<Owner>>()
  #nextId = 1

  /** Resolves at once for the first of a key, else when that one settled. */
  join(owner: Owner, key: string): Promise<FillRole> {
    const running = this.#byKey.get(key)
    if (running !== undefined) {
      return new Promise((resolve) => running.followers.push({ owner, resolve }))
    }
    const fill: Fill<Owner> = { fill: this.#nextId++, key, leader: owner, followers: [] }
    this.#byKey.set(key, fill)
    this.#byId.set(fill.fill, fill)
    return Promise.resolve({ role: 'leader', fill: fill.fill })
  }

  settle(owner: Owner, id: number, report: FillReport): void {
    const fill = this.#byId.get(id)
    if (fill === undefined || fill.leader !== owner) return
    this.#byId.delete(id)
    this.#byKey.delete(fill.key)
    for (const follower of fill.followers) follower.resolve({ role: 'follower', report })
  }

  /** A worker is gone: what it led has failed, what it waited for concerns nobody. */
  forget(owner: Owner): void {
    for (const fill of [...this.#byId.values()]) {
      if (fill.leader === owner) this.settle(owner, fill.fill, { kind: 'failed' })
      else fill.followers = fill.followers.filter((follower) => follower.owner !== owner)
    }
  }
}
