import { eachHost } from '../on-hosts/each-host.ts'
import type { HostPorts } from '../../ports/host/host.ts'
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
  const knownOf = new Map<number, { run: string; sites: Map<string, Totals> }>()
  let turn: Promise<void> = Promise.resolve()

  const changesIn = (hostId: number, report: PageCacheReport): Record<string, Totals> => {
    const sites = new Map(
      Object.entries(report.sites).map(([domain, site]) => [domain, totalsOf(site)]),
    )
    const before = knownOf.get(hostId)
    knownOf.set(hostId, { run: report.run, sites })
    // What was counted while no panel looked belongs to no step.
    if (before === undefined) return {}
    const changes = [...sites].map(([domain, totals]): [string, Totals] => {
      const last = before.run === report.run ? (before.sites.get(domain) ?? NONE) : NONE
      const change = grown(totals, last)
      // A worker that was killed takes along what it had not reported.
      return [domain, isShrunk(change) ? NONE : change]
    })
    return Object.fromEntries(changes.filter(([, change]) => !isEmpty(change)))
  }

  /** A host tells of its own sites alone. */
  const ownOf = async (
    hostId: number,
    changes: Record<string, Totals>,
  ): Promise<Record<string, Totals>> => {
    if ((await host.present()).length === 1) return changes
    const own: [string, Totals][] = []
    for (const [domain, totals] of Object.entries(changes))
      if ((await store.hostOfDomain(domain)) === hostId) own.push([domain, totals])
    return Object.fromEntries(own)
  }
  const sampleOf = async (hostId: number, { pageCache }: HostPorts): Promise<void> => {
    const report = await pageCache.report()
    if (report === null) return
    const changes = await ownOf(hostId, changesIn(hostId, report))
    if (Object.keys(changes).length === 0) return
    const nowMs = clock.nowMs()
    const at = timestamp(Math.floor(nowMs / STEP_MS) * STEP_MS)
    await store.addCacheSamples(at, changes, timestamp(nowMs - KEEP_MS))
  }
  const sample = (): Promise<void> =>
    eachHost(deps, 'the page cache of a host was not asked', sampleOf)
  return {
    sample() {
      turn = turn.catch(() => undefined).then(sample)
      return turn
    },
  }
}
