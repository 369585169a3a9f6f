import type { WebProcess } from '#test/node/web-server/support/web-process.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import type { Target } from './load.ts'
import { runWrk } from './wrk.ts'

const RUN_SECONDS = 5
const QUICK_SECONDS = 1
/** Pages that wrk asked for and did not wait for are filled too, or asked for again. */
const OVERLAP = 200
const SETTLE_MS = 120_000

interface Layers {
  l1: { entries: number; bytes: number } | null
  l2: { entries: number } | null
}

/** What the web server says of its layers. */
export const readLayers = async (web: WebProcess): Promise<Layers> =>
  (await web.management('GET', '/api/v1/cache/stats')).body as Layers

/**
 * Asks once for each of the numbered pages, and then waits until `layer` has
 * `entries` altogether. Rejects when that does not happen.
 */
export const fillPages = async (
  web: WebProcess,
  target: Target & { numbered: NonNullable<Target['numbered']> },
  { layer, entries }: { layer: 'l1' | 'l2'; entries: number },
  directory: string,
): Promise<void> => {
  const { from, count } = target.numbered
  const seconds = count > 10_000 ? RUN_SECONDS : QUICK_SECONDS
  for (let asked = 0; asked < count;) {
    const numbered = { from: from + asked, count: count - asked, order: 'next' } as const
    const { requests, failures } = await runWrk({ ...target, numbered }, seconds, directory)
    if (failures > 0) throw new Error(`filling: ${failures} of ${requests} requests failed`)
    asked += Math.max(requests - (requests > OVERLAP ? OVERLAP : 0), 1)
  }
  const has = async (): Promise<number> => (await readLayers(web))[layer]?.entries ?? 0
  await eventually(`${entries} pages in ${layer}`, async () => (await has()) >= entries, SETTLE_MS)
}
