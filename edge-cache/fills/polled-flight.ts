import type { FillCoordinator, FillOutcome } from '../types.ts'

/** Between two looks of a request that waits for another's fill. */
const PAUSE_MS = 20
/** A leader that takes longer may have been ended with its request. */
const LEADER_MS = 15_000

interface Flight {
  outcome: FillOutcome | null
  untilMs: number
}

/**
 * One fill per key within an isolate of Workers. Those who wait look again and again by timers of their own:
 * a promise that another request resolves goes on as part of that one in Workers, or never, once
 * its client is gone.
 */
export const createPolledFlight = (
  deps: {
    /** Keeps the leader's request alive until its fill is settled. Default: it may end with its client. */
    background?(work: Promise<unknown>): void
  } = {},
): FillCoordinator => {
  const nowMs = (): number => Date.now()
  const flights = new Map<string, Flight>()
  const isOver = ({ outcome, untilMs }: Flight): boolean => outcome !== null || nowMs() >= untilMs

  return {
    async join({ id }) {
      const other = flights.get(id)
      if (other !== undefined && !isOver(other)) {
        while (!isOver(other)) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
        return { role: 'follower', outcome: other.outcome ?? { kind: 'failed' } }
      }
      const own: Flight = { outcome: null, untilMs: nowMs() + LEADER_MS }
      flights.set(id, own)
      let over = (): void => undefined
      deps.background?.(new Promise<void>((resolve) => (over = resolve)))
      return {
        role: 'leader',
        settle(outcome) {
          own.outcome ??= outcome
          if (flights.get(id) === own) flights.delete(id)
          over()
        },
      }
    },
  }
}
