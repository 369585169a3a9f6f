import type { CancelTimer, WarmTime } from './types.ts'

/** Pause before a loaded server is looked at again. */
const LOAD_PAUSE_MS = 250

/** Bounded concurrency that gives way to visitors. */
export interface WarmSlots {
  /** Starts what may start; call it when there is new work or a higher limit. */
  pump(): void
  /** Runs `work` in a slot, before anything that `next` has. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** How many pieces of work are under way. */
  running(): number
  /** Held back by load at the last look. */
  paused(): boolean
  /** Starts nothing more; what `run` still holds is rejected. */
  stop(): void
}

/**
 * Starts work while fewer than `limit()` run and the server is not loaded.
 * `next` hands out the next piece, null when there is none. The load is asked
 * before each start, and again after a pause while there is too much.
 */
export const createWarmSlots = (deps: {
  time: WarmTime
  limit(): number
  isLoaded(): Promise<boolean>
  /** Whether `next` has something. */
  hasNext(): boolean
  next(): (() => Promise<void>) | null
}): WarmSlots => {
  const jobs: { start(): Promise<void>; refuse(error: Error): void }[] = []
  let running = 0
  let pumping = false
  let again = false
  let paused = false
  let stopped = false
  let cancelPause: CancelTimer = () => undefined

  const take = (): (() => Promise<void>) | null => {
    const job = jobs.shift()
    return job === undefined ? deps.next() : () => job.start()
  }
  const startOne = (): boolean => {
    const work = take()
    if (work === null) return false
    running++
    void work().finally(() => {
      running--
      pump()
    })
    return true
  }
  const loop = async (): Promise<void> => {
    paused = false
    while (!stopped && running < deps.limit() && (jobs.length > 0 || deps.hasNext())) {
      paused = await deps.isLoaded().catch(() => true)
      if (stopped) return
      if (paused) {
        cancelPause()
        cancelPause = deps.time.after(LOAD_PAUSE_MS, pump)
        return
      }
      if (running >= deps.limit() || !startOne()) return
    }
  }
  const pump = (): void => {
    if (stopped) return
    if (pumping) {
      again = true
      return
    }
    pumping = true
    void loop().finally(() => {
      pumping = false
      if (!again) return
      again = false
      pump()
    })
  }

  return {
    pump,
    run: (work) =>
      new Promise((resolve, reject) => {
        if (stopped) return reject(new Error('The warm queue has stopped.'))
        jobs.push({ start: () => work().then(resolve, reject), refuse: reject })
        pump()
      }),
    running: () => running,
    paused: () => paused,
    stop() {
      stopped = true
      cancelPause()
      for (const { refuse } of jobs) refuse(new Error('The warm queue has stopped.'))
      jobs.length = 0
    },
  }
}
