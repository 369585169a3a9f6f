import { availableParallelism } from 'node:os'
import type { WarmDocument, WarmOutcome, WarmTarget } from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { ToWorker, WarmAnswer, WorkerLoad } from '../workers/messages.ts'

/** A worker as the dispatch needs it. */
export interface WarmWorker {
  ask(body: ToWorker, timeoutMs: number): Promise<unknown>
  tell(body: ToWorker): void
}

/** An event loop that is later than this has enough to do. */
const MAX_LAG_MS = 150
/** A worker that does not say in time how busy it is, is too busy. */
const LOAD_TIMEOUT_MS = 500
/** Loads change no faster than this. */
const SAMPLE_MS = 100
/** Beyond what PHP may take: the wait for a connection to it. */
const PATIENCE_MS = 35_000

/** Hands warm work to the workers. */
export interface WarmDispatch {
  fill(target: WarmTarget): Promise<WarmOutcome>
  read(target: WarmTarget, timeoutMs: number): Promise<WarmDocument | null>
  /** Whether visitors occupy PHP or a worker so much that warming waits. */
  isLoaded(): Promise<boolean>
}

type Sample = ReadonlyMap<WarmWorker, WorkerLoad>

const OVERLOADED: WorkerLoad = { lagMs: Infinity, phpRunning: 0 }

/** `serving` lists the workers that accept requests, `alive` also those that finish theirs. */
export const createWarmDispatch = (deps: {
  serving(): readonly WarmWorker[]
  alive(): readonly WarmWorker[]
  config(): Pick<ServerConfig, 'php'>
}): WarmDispatch => {
  /** Warm requests per worker; they are no reason to hold back. */
  const underWay = new Map<WarmWorker, number>()
  let sampled: { atMs: number; sample: Promise<Sample> } | null = null

  const takeSample = async (): Promise<Sample> => {
    const loads = await Promise.all(
      deps.serving().map(async (worker) => {
        const asked = worker.ask({ type: 'load' }, LOAD_TIMEOUT_MS) as Promise<WorkerLoad>
        return [worker, await asked.catch(() => OVERLOADED)] as const
      }),
    )
    return new Map(loads)
  }
  const sample = (): Promise<Sample> => {
    const nowMs = performance.now()
    if (sampled === null || nowMs - sampled.atMs > SAMPLE_MS) {
      sampled = { atMs: nowMs, sample: takeSample() }
    }
    return sampled.sample
  }

  const leastLoaded = async (): Promise<WarmWorker | null> => {
    const loads = await sample()
    const own = (worker: WarmWorker): number => underWay.get(worker) ?? 0
    const of = (worker: WarmWorker): WorkerLoad => loads.get(worker) ?? OVERLOADED
    const [best] = [...deps.serving()].sort(
      (a, b) => own(a) - own(b) || of(a).phpRunning - of(b).phpRunning || of(a).lagMs - of(b).lagMs,
    )
    return best ?? null
  }

  /** Asks the least loaded worker and waits for as long as PHP may take: what was begun is counted until it ends. */
  const ask = async <T>(
    body: ToWorker & { type: 'warm' | 'warm-read' },
  ): Promise<{ answer: T; worker: WarmWorker }> => {
    const worker = await leastLoaded()
    if (worker === null) throw new Error('no worker is running')
    underWay.set(worker, (underWay.get(worker) ?? 0) + 1)
    try {
      const patienceMs = deps.config().php.request_timeout * 1000 + PATIENCE_MS
      return { answer: (await worker.ask(body, patienceMs)) as T, worker }
    } finally {
      const left = (underWay.get(worker) ?? 1) - 1
      if (left > 0) underWay.set(worker, left)
      else underWay.delete(worker)
    }
  }

  return {
    async fill(target) {
      const { answer, worker } = await ask<WarmAnswer>({ type: 'warm', target })
      const { outcome, entry } = answer
      if (entry !== null) {
        for (const other of deps.alive()) if (other !== worker) other.tell({ type: 'adopt', entry })
      }
      return outcome
    },
    async read(target, timeoutMs) {
      const reading = ask<WarmDocument | null>({ type: 'warm-read', target })
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(() => resolve(null), timeoutMs)
      })
      try {
        return await Promise.race([reading.then(({ answer }) => answer), late])
      } catch {
        return null
      } finally {
        clearTimeout(timer)
      }
    },
    async isLoaded() {
      const loads = [...(await sample()).values()]
      if (loads.length === 0 || loads.some(({ lagMs }) => lagMs > MAX_LAG_MS)) return true
      const own = [...underWay.values()].reduce((sum, one) => sum + one, 0)
      const php = loads.reduce((sum, { phpRunning }) => sum + phpRunning, 0)
      const limit = Math.max(deps.config().php.max_children / 2, 2 * availableParallelism())
      return php - own >= limit
    },
  }
}
