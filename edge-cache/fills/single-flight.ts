import type { FillCoordinator, FillOutcome } from '../types.ts'

/**
 * One fill per key within a process. Nothing is kept of a fill that settled:
 * whoever comes later finds the page in the cache or leads a new one.
 */
export const createSingleFlight = (): FillCoordinator => {
  const waiting = new Map<string, ((outcome: FillOutcome) => void)[]>()
  return {
    join(key) {
      const followers = waiting.get(key.id)
      if (followers) {
        return new Promise((resolve) => {
          followers.push((outcome) => {
            resolve({ role: 'follower', outcome })
          })
        })
      }
      const own: ((outcome: FillOutcome) => void)[] = []
      waiting.set(key.id, own)
      let settled = false
      return Promise.resolve({
        role: 'leader',
        settle(outcome) {
          if (settled) return
          settled = true
          waiting.delete(key.id)
          for (const wake of own) wake(outcome)
        },
      })
    },
  }
}
