import { createSampler, type LayeredCache, type Sampler } from '#edge-cache/index.ts'
import type { WarmFiller } from '../warm/warm-filler.ts'
import { measureLagMs } from '../warm/measure-lag.ts'
import type { ToPrimary } from '../workers/messages.ts'

/** A process that is later than this has something better to do. */
const MAX_LAG_MS = 20

/** A worker's sampler; what it needs of the worker is asked for when the first sample is due. */
export const createWorkerSampler = (deps: {
  /** Requests that wait for PHP. */
  phpRunning(): number
  layers(): Pick<LayeredCache, 'get'> | null
  filler(): Pick<WarmFiller, 'neutralPage'>
  ask(body: ToPrimary): Promise<unknown>
}): Sampler =>
  createSampler({
    nowMs: () => Date.now(),
    after: (delayMs, work) => {
      setTimeout(work, delayMs).unref()
    },
    isIdle: async () => deps.phpRunning() === 0 && (await measureLagMs()) <= MAX_LAG_MS,
    turn: async (site, clientClass) =>
      (await deps.ask({ type: 'sample-turn', site, clientClass })) === true,
    entryOf: (key) => deps.layers()?.get(key) ?? null,
    neutralPage: (target) => deps.filler().neutralPage(target),
    varies: (site, found) => deps.ask({ type: 'site-varies', site, ...found }),
  })
