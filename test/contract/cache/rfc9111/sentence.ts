import type { PurgeScope } from '#edge-cache/index.ts'
import type { ContractCase } from '../page-mode/cache-case.ts'
import { createHarness, type LowerLayer, withLower } from '../page-mode/cache-harness.ts'
import { takeSteps, type Fields, type From, type Step, type Stepped } from '../http-mode/harness.ts'

/** What a sentence asks of a shared cache: its section, what it says, and requests that show it. */
export type Sentence = readonly [section: string, says: string, steps: readonly Step[]]

export const control = (value: string): Fields => ({ 'cache-control': value })

/** An answer that goes into the cache, or is only meant to. */
export const answered = (headers: Fields, more: Partial<Step> & { status?: number } = {}): Step => {
  const { status = 200, ...step } = more
  return { from: 'origin', ...step, origin: { ...step.origin, status, headers } }
}

/** An answer, and whether so many seconds later the same request is answered by it. */
export const lived = (
  section: string,
  says: string,
  headers: Fields,
  after: number,
  from: From,
  more: Partial<Step> & { status?: number } = {},
): Sentence => [
  section,
  says,
  [answered(headers, more), answered(headers, { ...more, after, from })],
]

/**
 * Two workers over one store, in turn: what the first one stores the other reads,
 * so that an entry must come back from the store as it was.
 */
const workersInTurn = (lower: LowerLayer): Stepped => {
  const invalidate = (scopes: readonly PurgeScope[]): Promise<void> => {
    for (const worker of workers) worker.purge([...scopes])
    return Promise.resolve()
  }
  const workers = [1, 2].map(() =>
    createHarness({ l2: lower.source, l1: false, page: { invalidate } }),
  )
  let turn = 0
  const all: Stepped = {
    nowMs: 1_700_000_000_000,
    origin: () => new Response(null),
    seen: [],
    async ask(url, options) {
      const worker = workers[turn++ % workers.length]
      if (worker === undefined) throw new Error('no worker')
      worker.nowMs = all.nowMs
      worker.origin = (request) => {
        all.seen.push(request)
        return all.origin(request)
      }
      return worker.ask(url, options)
    },
    async idle() {
      for (const worker of workers) await worker.idle()
    },
  }
  return all
}

export const sentenceCases = (
  rfc: string,
  sentences: readonly Sentence[],
  createLower: () => Promise<LowerLayer>,
): ContractCase[] =>
  sentences.map(([section, says, steps]) => ({
    name: `${rfc}, ${section}: ${says}`,
    run: withLower(createLower, async (lower) => {
      await takeSteps(steps, workersInTurn(lower))
    }),
  }))
