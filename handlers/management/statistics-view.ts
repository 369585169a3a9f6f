import type { StoreStats } from '../../edge-cache/page-cache.ts'
import type { CacheStatistics } from './management-port.ts'

const layer = (stats: StoreStats | null) =>
  stats && {
    entries: stats.entries,
    bytes: stats.bytes,
    limit_bytes: stats.limitBytes,
    evictions: stats.evictions,
  }

/** Body of `GET /api/v1/cache/stats`. `hit_ratio` is hits of hits and misses, 0 to 1. */
export const statisticsView = ({ counters, l1, l2, purges }: CacheStatistics) => {
  const { hits, misses, bypasses, stores, bytesServed } = counters
  const asked = hits + misses
  return {
    hits,
    misses,
    hit_ratio: asked === 0 ? 0 : Math.round((hits / asked) * 10_000) / 10_000,
    bypasses,
    stores,
    bytes_served: bytesServed,
    purges,
    l1: layer(l1),
    l2: layer(l2),
  }
}
