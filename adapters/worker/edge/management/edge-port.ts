import type { CacheConfig } from '#edge-cache/config.ts'
import type { ManagementPort } from '#handlers/management/management-port.ts'
import type { WarmPort } from '#handlers/management/warm-port.ts'
import type { IsolatePages } from '../isolate-pages.ts'
import type { MarksPort } from '../marks/page-marks.ts'
import type { EdgeSites } from '../sites/edge-site.ts'

/** What the management API reaches of a Worker before sites: sums over all of its isolates. */
export const createEdgePort = (deps: {
  config: CacheConfig
  sites: EdgeSites
  pages: IsolatePages
  marks(): MarksPort
  warm: WarmPort
  version: string
}): ManagementPort => {
  const { config, sites, pages, marks, warm, version } = deps
  return {
    async status() {
      const { fronts, startedMs } = await marks().sums()
      return {
        status: 'ok',
        version,
        uptime_secs: Math.floor((Date.now() - startedMs) / 1000),
        workers: fronts,
        virtual_hosts: sites.all.length,
      }
    },
    cacheConfig: () => ({
      cache: config,
      virtual_hosts: sites.all.map(({ domain, aliases, rule }) => ({
        ...{ domain, aliases: [...aliases], cache: rule },
      })),
    }),
    async cacheStats() {
      // So that what this isolate counted until now is among the sums.
      await pages.tell()
      const { counters, l1, purges } = await marks().sums()
      // The Cache API neither lists nor counts.
      const l2State = config.l2_enabled
        ? { storage: 'memory' as const, on: true, fault: null }
        : null
      return { counters, l1, l2: null, l2State, purges }
    },
    // Each site has one origin, which is asked as long as there is no page of it.
    upstreams: () => Promise.resolve([]),
    async traffic() {
      const { counters } = await marks().sums()
      const passed = Object.values(counters.bypasses).reduce((sum, one) => sum + one, 0)
      const requests = counters.hits + counters.misses + passed
      // Connections are Cloudflare's, and no Worker hears of them.
      return { requests, connections: 0, refused: { server: 0, address: 0 } }
    },
    namesOf(domain) {
      const site = sites.find(domain)
      if (site === null) return []
      return site.domain === domain ? [domain, ...site.aliases] : [domain]
    },
    async purge(scopes) {
      const { sequence } = await pages.purge(scopes)
      const { fronts } = await marks().sums()
      return { sequence, workers: fronts }
    },
    warm,
  }
}
