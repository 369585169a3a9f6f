import type { StoreStats } from '#edge-cache/index.ts'
import type { LayerState } from '#handlers/management/management-port.ts'
import type { RedisLayer } from './redis/redis-layer.ts'
import type { SharedPages } from './shared-pages.ts'

/** The layer below the workers' memory, and how it is; null when there is none. */
export const lowerLayer = async (
  { disk, file }: SharedPages,
  redis: RedisLayer | null,
): Promise<{ stats: StoreStats | null; state: LayerState } | null> => {
  if (disk !== null && file !== null) {
    const { stats, fault } = await disk.state()
    return { stats, state: { storage: file.storage, on: fault === null, fault } }
  }
  if (redis === null) return null
  // There is a fault until every worker uses it.
  const on = redis.epoch !== null && redis.fault === null
  const state: LayerState = { storage: 'redis', on, fault: redis.fault }
  return { stats: await redis.stats(), state }
}
