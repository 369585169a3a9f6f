import type { CancelTimer, WarmTime } from './types.ts'

/** Longer waits are split: timers count in 31 bits of milliseconds. */
const MAX_WAIT_MS = 86_400_000

/** Repeats a deterministic run. */
export interface WarmSchedule {
  /** Seconds from the start of one run to the start of the next; 0 is off. An unchanged value keeps the pace. */
  configure(intervalSecs: number): void
  /** Wall clock of the next run, milliseconds; null when it is off. */
  nextAtMs(): number | null
  /** As an interval of 0; a run that is under way ends by itself. */
  stop(): void
}

/** A run that takes longer than the interval is not overlapped: the turns it misses are skipped. */
export const createWarmSchedule = (deps: {
  time: WarmTime
  run(): Promise<unknown>
}): WarmSchedule => {
  const { time } = deps
  let intervalMs = 0
  let dueAtMs = 0
  let busy = false
  let cancel: CancelTimer = () => undefined

  const turn = (): void => {
    const leftMs = dueAtMs - time.nowMs()
    if (leftMs > 0) return wait(leftMs)
    dueAtMs = time.nowMs() + intervalMs
    wait(intervalMs)
    if (busy) return
    busy = true
    void deps
      .run()
      .catch(() => undefined)
      .finally(() => (busy = false))
  }
  const wait = (delayMs: number): void => {
    cancel = time.after(Math.min(delayMs, MAX_WAIT_MS), turn)
  }

  return {
    configure(intervalSecs) {
      if (intervalSecs * 1000 === intervalMs) return
      cancel()
      intervalMs = intervalSecs * 1000
      if (intervalMs === 0) return
      dueAtMs = time.nowMs() + intervalMs
      wait(intervalMs)
    },
    nextAtMs: () => (intervalMs === 0 ? null : dueAtMs),
    stop() {
      cancel()
      intervalMs = 0
    },
  }
}
