import {
  type CacheKey,
  deserializeEntry,
  type FillCoordinator,
  type FillOutcome,
  serializeEntry,
} from '#edge-cache/index.ts'
import type { FillKind, FillReport, FillRole } from './messages.ts'

type Joined = Awaited<ReturnType<FillCoordinator['join']>>

/** What the client needs of the primary. */
export interface FillPeer {
  join(key: CacheKey): Promise<FillRole>
  /** Resolves with whether others wait for the page. */
  settle(fill: number, kind: FillKind): Promise<boolean>
  give(fill: number, entry: Uint8Array): void
}

const toOutcome = (report: FillReport): FillOutcome => {
  if (report.kind !== 'stored') return report
  const entry = deserializeEntry(report.entry)
  return entry === null ? { kind: 'failed' } : { kind: 'stored', entry }
}

/**
 * Coalesces fills over all workers: within this one first, so that a page
 * crosses the channel once per worker, then over the primary.
 */
export const createFillClient = (peer: FillPeer): FillCoordinator => {
  const waiting = new Map<string, ((outcome: FillOutcome) => void)[]>()

  const release = (id: string, outcome: FillOutcome): void => {
    const followers = waiting.get(id) ?? []
    waiting.delete(id)
    for (const wake of followers) wake(outcome)
  }
  /** The page crosses the channel only where somebody waits for it. */
  const report = async (fill: number, outcome: FillOutcome): Promise<void> => {
    const isWanted = await peer.settle(fill, outcome.kind)
    if (isWanted && outcome.kind === 'stored') peer.give(fill, serializeEntry(outcome.entry))
  }
  const lead = (key: CacheKey, fill: number): Joined => {
    let settled = false
    return {
      role: 'leader',
      settle: (outcome) => {
        if (settled) return
        settled = true
        release(key.id, outcome)
        // Without the primary nobody else waits.
        report(fill, outcome).catch(() => undefined)
      },
    }
  }
  return {
    join: async (key): Promise<Joined> => {
      const followers = waiting.get(key.id)
      if (followers !== undefined) {
        return new Promise((resolve) => {
          followers.push((outcome) => resolve({ role: 'follower', outcome }))
        })
      }
      waiting.set(key.id, [])
      let role: FillRole
      try {
        role = await peer.join(key)
      } catch {
        // Without the primary this worker is about to end; its last requests go on by themselves.
        role = { role: 'leader', fill: 0 }
      }
      if (role.role === 'leader') return lead(key, role.fill)
      const outcome = toOutcome(role.report)
      release(key.id, outcome)
      return { role: 'follower', outcome }
    },
  }
}
