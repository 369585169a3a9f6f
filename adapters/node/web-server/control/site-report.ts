import type { PageCacheCounters, SiteCookies, SiteUsage, StoreStats } from '#edge-cache/index.ts'
import type { LayerUsage, SiteCacheReport } from '#handlers/ports/host/cache/page-cache.ts'
import type { FoundVarying } from '../sampling/varying-ledger.ts'

export const NO_USAGE: SiteUsage = { entries: 0, bytes: 0 }
const NO_COUNTERS = { hits: 0, staleHits: 0, misses: 0, bypasses: {}, bytesServed: 0 }

export const layerUsage = (stats: StoreStats | null): LayerUsage | null =>
  stats && { entries: stats.entries, bytes: stats.bytes, limit_bytes: stats.limitBytes }

/** The store that workers share in memory is part of the memory, not a layer of its own. */
export const together = (one: StoreStats | null, other: StoreStats | null): StoreStats | null =>
  one &&
  other && {
    entries: Math.max(one.entries, other.entries),
    bytes: one.bytes + other.bytes,
    limitBytes: one.limitBytes + other.limitBytes,
    evictions: one.evictions + other.evictions,
  }

export const sumUsage = (all: readonly Record<string, SiteUsage>[]): Map<string, SiteUsage> => {
  const sums = new Map<string, SiteUsage>()
  for (const one of all)
    for (const [site, { entries, bytes }] of Object.entries(one)) {
      const sum = sums.get(site) ?? NO_USAGE
      sums.set(site, { entries: sum.entries + entries, bytes: sum.bytes + bytes })
    }
  return sums
}

export const cookieReport = ({
  names,
  full,
}: SiteCookies): Pick<SiteCacheReport, 'learned_cookies' | 'learned_full'> => ({
  learned_cookies: names.map(([name, atMs]) => ({
    name,
    learned_at: new Date(atMs).toISOString(),
  })),
  learned_full: full,
})

export const variesReport = (found: FoundVarying | null): SiteCacheReport['varies'] =>
  found && { since_ms: found.atMs, why: found.why, page: found.page }

export const siteReport = (
  counters: PageCacheCounters['hosts'][string] | undefined,
  memory: SiteUsage | undefined,
  disk: SiteUsage | null,
): Omit<SiteCacheReport, keyof ReturnType<typeof cookieReport> | 'application' | 'varies'> => {
  const { hits, staleHits, misses, bypasses, bytesServed } = counters ?? NO_COUNTERS
  return {
    hits,
    stale_hits: staleHits,
    misses,
    bypasses,
    bytes_served: bytesServed,
    memory: memory ?? NO_USAGE,
    disk,
  }
}
