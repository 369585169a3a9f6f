import { setTimeout } from 'node:timers/promises'
import type { WebProcess } from '#test/node/web-server/support/web-process.ts'
import type { Target } from './load/load.ts'
import { runWrk } from './load/wrk.ts'

const RUN_SECONDS = 5
const QUICK_SECONDS = 0.5
/** The end of a run of wrk cuts off what is under way, so that some pages are to be asked for again. */
const MAX_PASSES = 6
const SETTLE_MS = 5000
const AGAIN_MS = 100

interface Layers {
  l1: { entries: number; bytes: number } | null
  l2: { entries: number } | null
}

/** What the web server says of its layers. */
const readLayers = async (web: WebProcess): Promise<Layers> =>
  (await web.management('GET', '/api/v1/cache/stats')).body as Layers

/**
 * Asks for each of the numbered pages, until `layer` has `entries` altogether.
 * Rejects when that does not happen.
 */
export const fillPages = async (
  web: WebProcess,
  target: Target & { numbered: NonNullable<Target['numbered']> },
  { layer, entries }: { layer: 'l1' | 'l2'; entries: number },
  directory: string,
): Promise<void> => {
  const { from, count } = target.numbered
  const seconds = count > 10_000 ? RUN_SECONDS : QUICK_SECONDS
  const has = async (): Promise<boolean> =>
    ((await readLayers(web))[layer]?.entries ?? 0) >= entries
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    for (let asked = 0; asked < count;) {
      const numbered = { from: from + asked, count: count - asked, order: 'next' } as const
      const { requests, failures } = await runWrk({ ...target, numbered }, seconds, directory)
      if (failures > 0) throw new Error(`filling: ${failures} of ${requests} requests failed`)
      asked += Math.max(requests, 1)
    }
    // The lower layer is written behind the answers.
    const deadline = performance.now() + SETTLE_MS
    while (performance.now() < deadline) {
      if (await has()) return
      await setTimeout(AGAIN_MS)
    }
  }
  throw new Error(`${layer} has not got ${entries} pages after ${MAX_PASSES} passes`)
}
