import type { CacheCounters, StoreStats } from '../../edge-cache/index.ts'
import type { CacheStatistics } from './management-port.ts'

const layer = (stats: StoreStats | null) =>
  stats && {
    entries: stats.entries,
    bytes: stats.bytes,
    limit_bytes: stats.limitBytes,
    evictions: stats.evictions,
  }

/** `hit_ratio` is hits of hits and misses, 0 to 1; `stale_hits` are among the hits. */
const countersView = (counters: CacheCounters) => {
  const { hits, misses, staleHits, bypasses, stores, bytesServed } = counters
  const asked = hits + misses
  return {
    hits,
    stale_hits: staleHits,
    misses,
    hit_ratio: asked === 0 ? 0 : Math.round((hits / asked) * 10_000) / 10_000,
    bypasses,
    stores,
    bytes_served: bytesServed,
  }
}

/** Body of `GET /api/v1/cache/stats`: totals, layers, and each virtual host by primary domain. */
export const statisticsView = ({ counters, l1, l2, l2State, purges }: CacheStatistics) => ({
  ...countersView(counters),
  purges,
  l1: layer(l1),
  l2: layer(l2),
  l2_state: l2State ? (l2State.on ? 'on' : 'off') : 'none',
  l2_fault: l2State?.fault ?? null,
  virtual_hosts: Object.fromEntries(
    Object.entries(counters.hosts).map(([domain, own]) => [domain, countersView(own)]),
  ),
})
