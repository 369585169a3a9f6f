import type { Clock } from '#handlers/ports/clock.ts'

/** A clock that a test moves. Starts at the real time, which the JWT package reads by itself. */
export interface FakeClock extends Clock {
  advanceSecs(secs: number): void
}

export const createFakeClock = (startMs: number = Date.now()): FakeClock => {
  let offsetMs = 0
  return {
    nowMs: () => startMs + offsetMs,
    advanceSecs(secs) {
      offsetMs += secs * 1000
    },
  }
}
