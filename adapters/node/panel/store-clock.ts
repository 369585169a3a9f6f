import type { Clock } from '#handlers/ports/clock.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Store } from '#handlers/ports/store/store.ts'

/** How far a machine may be from the store's time before it is said. */
export const SKEW_TOLD_MS = 5000
const ASK_MS = 30_000
/** An answer that takes longer tells the time too badly. */
const USEFUL_MS = 1000

/** The machine's clocks: the one that people set, and one that nobody does. */
export interface MachineClocks {
  wallMs(): number
  monotonicMs(): number
}

/**
 * The time of the store, for panels that share one: what one of them writes, such as from when on
 * sessions count, is compared by another, and their machines' clocks may differ.
 */
export interface StoreClock extends Clock {
  /** Asks the store; to be called before the first use. Rejects where it does not answer. */
  ask(): Promise<void>
  /** Asks again and again; answers how to stop. */
  keepAsking(log: Log): () => void
  /** By how much the machine's clock was ahead of the store's when it was asked last; behind: negative. */
  skewMs(): number
}

const MACHINE: MachineClocks = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
}

export const createStoreClock = (
  store: Pick<Store, 'storeTimeMs'>,
  { wallMs, monotonicMs }: MachineClocks = MACHINE,
): StoreClock => {
  /** The store's time less the monotonic one; null before the first answer. */
  let offsetMs: number | null = null
  let skewMs = 0
  const ask = async (): Promise<void> => {
    const beganMs = monotonicMs()
    const storeMs = await store.storeTimeMs()
    const endedMs = monotonicMs()
    if (!Number.isFinite(storeMs)) throw new Error('the store told no time')
    if (offsetMs !== null && endedMs - beganMs > USEFUL_MS) return
    offsetMs = storeMs - (beganMs + endedMs) / 2
    skewMs = wallMs() - (offsetMs + endedMs)
  }
  return {
    ask,
    nowMs: () => (offsetMs === null ? wallMs() : Math.round(offsetMs + monotonicMs())),
    skewMs: () => Math.round(skewMs),
    keepAsking(log) {
      let told = false
      const timer = setInterval(() => {
        ask().then(
          () => {
            const isFar = Math.abs(skewMs) >= SKEW_TOLD_MS
            if (isFar && !told)
              log.warn("the machine's clock is not the store's, whose time counts", { skewMs })
            told = isFar
          },
          // Records cannot be read either, which is said elsewhere.
          () => undefined,
        )
      }, ASK_MS).unref()
      return () => clearInterval(timer)
    },
  }
}
