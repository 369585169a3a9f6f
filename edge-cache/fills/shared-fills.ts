import type { FillCoordinator, FillOutcome } from '../types.ts'

/** What a fill came to, as other servers are told it. */
export type FillEnd = FillOutcome['kind']

/** Turns at making pages that several servers share. */
export interface FillTurns {
  /**
   * The turn, which is given back by `end`; `taken` while another server has it; what it came
   * to when that was a moment ago; null where turns are not shared now. Never rejects.
   */
  take(
    id: string,
  ): Promise<{ end(how: FillEnd): Promise<void> } | 'taken' | 'uncacheable' | 'failed' | null>
}

/** How often who waits looks whether the other server is done. */
const LOOK_MS = 50
/** How long another server's turn is waited for, then the origin is asked here too. */
const WAIT_MS = 2000

const pause = (durationMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, durationMs)
  })

/**
 * A coordinator whose leader waits for its turn among all servers of `turns`. When the other
 * server is done it leads, and finds the page that the other has stored, as every leader looks
 * first; so nothing that the other did is believed, and what it lost is made here.
 */
export const createSharedFills = (
  local: FillCoordinator,
  turns: FillTurns,
  { waitMs = WAIT_MS, lookMs = LOOK_MS }: { waitMs?: number; lookMs?: number } = {},
): FillCoordinator => ({
  async join(key) {
    const joined = await local.join(key)
    if (joined.role === 'follower') return joined
    const looks = Math.ceil(waitMs / lookMs)
    for (let look = 0; look < looks; look++) {
      const turn = await turns.take(key.id)
      if (turn === null) return joined
      if (turn === 'uncacheable' || turn === 'failed') {
        const outcome: FillOutcome = { kind: turn }
        joined.settle(outcome)
        return { role: 'follower', outcome }
      }
      if (turn !== 'taken') {
        return {
          role: 'leader',
          settle(outcome) {
            joined.settle(outcome)
            // Unheard, it ends by itself.
            turn.end(outcome.kind).catch(() => undefined)
          },
        }
      }
      await pause(lookMs)
    }
    return joined
  },
})
