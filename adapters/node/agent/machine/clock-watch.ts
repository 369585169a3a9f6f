import type { MachineClock } from '#handlers/ports/host/machine.ts'

/** How often the clock is compared with the kernel's even one. */
const EVERY_MS = 30_000
/** Less is the fine correction of a time service, which slows or hurries the clock. */
const JUMP_MS = 2000
const MOST_JUMPS = 20

/** The two clocks of a machine. */
export interface Clocks {
  wallMs: () => number
  evenMs: () => number
}

const OWN: Clocks = { wallMs: () => Date.now(), evenMs: () => performance.now() }

/**
 * Notes when the clock of the machine jumps, as it does when somebody sets it, or the
 * machine was paused. `check` is called by a timer, and by whoever wants to know now.
 */
export const createClockWatch = (clocks: Clocks = OWN) => {
  const jumps: MachineClock['jumps'] = []
  let ahead = clocks.wallMs() - clocks.evenMs()
  const check = (): MachineClock['jumps'] => {
    const now = clocks.wallMs() - clocks.evenMs()
    const jumpedMs = now - ahead
    ahead = now
    if (Math.abs(jumpedMs) >= JUMP_MS)
      jumps.push({ atMs: clocks.wallMs(), secs: Math.round(jumpedMs / 1000) })
    if (jumps.length > MOST_JUMPS) jumps.shift()
    return jumps.map((jump) => ({ ...jump }))
  }
  const timer = setInterval(check, EVERY_MS).unref()
  return { check, stop: () => clearInterval(timer) }
}
