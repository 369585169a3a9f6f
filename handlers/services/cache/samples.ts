import { timestamp } from '../../domain/text/timestamp.ts'
import type { PageCacheReport } from '../../ports/host/cache/page-cache.ts'
import type { CacheSample } from '../../ports/store/records.ts'
import { totalsOf } from './view.ts'
import type { ServiceDeps } from '../service-deps.ts'

const STEP_MS = 300_000
/** A day of steps is kept for each site. */
const KEEP_MS = 86_400_000

type Totals = Omit<CacheSample, 'at'>

/**
 * Keeps the history of the sites' page caches. The web server counts from its
 * start on; what was counted between two looks goes into the step of the second.
 */
export interface CacheSampler {
  /** To be called about twice a minute; calls follow each other. */
  sample(): Promise<void>
}

const grown = (now: Totals, before: Totals): Totals => ({
  hits: now.hits - before.hits,
  misses: now.misses - before.misses,
  bypasses: now.bypasses - before.bypasses,
})
const NONE: Totals = { hits: 0, misses: 0, bypasses: 0 }
const isShrunk = ({ hits, misses, bypasses }: Totals): boolean =>
  hits < 0 || misses < 0 || bypasses < 0
const isEmpty = ({ hits, misses, bypasses }: Totals): boolean => hits + misses + bypasses === 0

export const createCacheSampler = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock'>,
): CacheSampler => {
  const { store, host, clock } = deps
  let known: { run: string; sites: Map<string, Totals> } | null = null
  let turn: Promise<void> = Promise.resolve()

  const changesIn = (report: PageCacheReport): Record<string, Totals> => {
    const sites = new Map(
      Object.entries(report.sites).map(([domain, site]) => [domain, totalsOf(site)]),
    )
    const before = known
    known = { run: report.run, sites }
    // What was counted while no panel looked belongs to no step.
    if (before === null) return {}
    const changes = [...sites].map(([domain, totals]): [string, Totals] => {
      const last = before.run === report.run ? (before.sites.get(domain) ?? NONE) : NONE
      const change = grown(totals, last)
      // A worker that was killed takes along what it had not reported.
      return [domain, isShrunk(change) ? NONE : change]
    })
    return Object.fromEntries(changes.filter(([, change]) => !isEmpty(change)))
  }

  const sample = async (): Promise<void> => {
    const report = await host.pageCache.report()
    if (report === null) return
    const changes = changesIn(report)
    if (Object.keys(changes).length === 0) return
    const nowMs = clock.nowMs()
    const at = timestamp(Math.floor(nowMs / STEP_MS) * STEP_MS)
    await store.addCacheSamples(at, changes, timestamp(nowMs - KEEP_MS))
  }
  return {
    sample() {
      turn = turn.catch(() => undefined).then(sample)
      return turn
    },
  }
}
