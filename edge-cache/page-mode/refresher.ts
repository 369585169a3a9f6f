import type { Joined } from '../fills/turns.ts'
import type { CacheEntry, CacheKey, FillOutcome } from '../types.ts'
import { createUncacheableMarkers } from '../policy/uncacheable-markers.ts'

/** One refresh of a stale page. */
export interface Refresh {
  key: CacheKey
  /** Asks the origin and stores; null when it failed. Calls `settle` once. */
  fill(settle: (outcome: FillOutcome) => void): Promise<Response | null>
  /** Told what another process' refresh came to. */
  followed(outcome: FillOutcome): Promise<void>
}

/** How a refresh gets its turn, and sees whether another process was faster. */
export interface RefresherDeps {
  /** Null when the coordinator is gone or the leader takes too long. */
  join(key: CacheKey): Promise<Joined | null>
  /** The page if another process has refreshed it meanwhile. */
  fresh(key: CacheKey): Promise<CacheEntry | null>
  /** Keeps the runtime alive for work that outlives the response. */
  background(work: Promise<unknown>): void
  /** Wall clock, milliseconds. */
  nowMs(): number
}

/** Pause after a refresh that failed, so that a broken origin is not asked by every visitor. */
const FAILED_PAUSE_MS = 2000

/**
 * Refreshes stale pages behind the responses: one refresh per page here, and one
 * at a time across everything that shares the coordinator. Never rejects.
 */
export const createRefresher = (deps: RefresherDeps): { start(refresh: Refresh): void } => {
  const running = new Set<string>()
  const paused = createUncacheableMarkers({ forMs: FAILED_PAUSE_MS, nowMs: deps.nowMs })

  const run = async ({ key, fill, followed }: Refresh): Promise<void> => {
    const joined = await deps.join(key)
    if (joined?.role === 'follower') {
      if (joined.outcome.kind === 'failed') paused.set(key.id)
      await followed(joined.outcome)
      return
    }
    let over = (): void => undefined
    const settled = new Promise<void>((resolve) => {
      over = resolve
    })
    const settle = (outcome: FillOutcome): void => {
      if (outcome.kind === 'failed') paused.set(key.id)
      joined?.settle(outcome)
      over()
    }
    try {
      const entry = await deps.fresh(key)
      if (entry) {
        settle({ kind: 'stored', entry })
        return
      }
      // Nobody reads the body but who stores it.
      await (await fill(settle))?.body?.cancel()
      await settled
    } catch {
      settle({ kind: 'failed' })
    }
  }

  return {
    start(refresh) {
      const { id } = refresh.key
      if (running.has(id) || paused.has(id)) return
      running.add(id)
      deps.background(run(refresh).finally(() => running.delete(id)))
    },
  }
}
