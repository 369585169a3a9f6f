import { randomBytes } from 'node:crypto'
import type { PurgeScope } from '#edge-cache/index.ts'
import type { RedisOutbox } from '../cache/redis/redis-outbox.ts'
import { MOST_ORDERS, type PurgeOrder } from './orders.ts'

/** A front that has taken a purge and says nothing more of it: another one gets it. */
const TAKEN_MS = 5000
/** A front's question is held so long where there is nothing to be told. */
const HELD_MS = 4000
/** Between two questions of a front no more time passes. */
const ABSENT_MS = 1500
/** Whoever purges waits no longer than a front takes with all others: see `strict-purges.ts`. */
const WAIT_MS = 5000

/** The host's part of purges that have to hold at its fronts. */
export interface PurgesForFronts {
  /** `shared`: a front has carried it out at all of them; else it is kept until one does. */
  share(scopes: readonly PurgeScope[]): Promise<'shared' | 'kept'>
  /** A front asks, and tells what it has carried out; answered at once where there is something. */
  take(done: readonly string[]): Promise<PurgeOrder[]>
}

/** What waits outlives this process in `outbox`. `nowMs`: of a monotonic clock. */
export const createPurgesForFronts = (
  outbox: RedisOutbox,
  nowMs: () => number = () => performance.now(),
): PurgesForFronts => {
  const run = randomBytes(6).toString('hex')
  const ids = new Map<readonly PurgeScope[], string>()
  const takenUntilMs = new Map<string, number>()
  const told = new Map<string, () => void>()
  const held = new Set<() => void>()
  let count = 0
  let askedMs = -Infinity

  const idOf = (scopes: readonly PurgeScope[]): string => {
    const known = ids.get(scopes) ?? `${run}-${++count}`
    ids.set(scopes, known)
    return known
  }
  const settle = (done: readonly string[]): void => {
    const all = new Set(done)
    const sent = outbox.waiting.filter((scopes) => all.has(idOf(scopes)))
    if (sent.length === 0) return
    outbox.done(sent)
    for (const scopes of sent) {
      const id = idOf(scopes)
      told.get(id)?.()
      ids.delete(scopes)
      takenUntilMs.delete(id)
    }
  }
  const next = (): PurgeOrder[] => {
    const atMs = nowMs()
    return outbox.waiting
      .filter((scopes) => (takenUntilMs.get(idOf(scopes)) ?? 0) <= atMs)
      .slice(0, MOST_ORDERS)
      .map((scopes) => {
        const id = idOf(scopes)
        takenUntilMs.set(id, atMs + TAKEN_MS)
        return { id, scopes: [...scopes] }
      })
  }
  const wakened = (): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        held.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, HELD_MS)
      held.add(wake)
    })

  return {
    async share(scopes) {
      outbox.add(scopes)
      // One that was too much made all that waits one purge of everything.
      const kept = outbox.waiting.includes(scopes) ? scopes : outbox.waiting[0]
      if (kept === undefined) return 'kept'
      const isAsked = held.size > 0 || nowMs() - askedMs < ABSENT_MS
      if (!isAsked) return 'kept'
      const id = idOf(kept)
      const carriedOut = new Promise<'shared' | 'kept'>((resolve) => {
        const timer = setTimeout(() => {
          told.delete(id)
          resolve('kept')
        }, WAIT_MS)
        told.set(id, () => {
          clearTimeout(timer)
          told.delete(id)
          resolve('shared')
        })
      })
      for (const wake of held) {
        wake()
        break
      }
      return carriedOut
    },
    async take(done) {
      settle(done)
      let orders = next()
      if (orders.length === 0) {
        await wakened()
        orders = next()
      }
      askedMs = nowMs()
      return orders
    },
  }
}
