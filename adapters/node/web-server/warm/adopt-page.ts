import type { CacheConfig } from '#edge-cache/config.ts'
import { deserializeEntry, type LayeredCache } from '#edge-cache/index.ts'

/**
 * Takes a page that another worker has filled anew: in place of the older one
 * that this worker has, or, where workers share no lower layer, in any case. What
 * a purge has overtaken meanwhile is not taken.
 */
export const createPageAdopter = (
  layers: Pick<LayeredCache, 'lookup' | 'promote'>,
  cache: Pick<CacheConfig, 'storage' | 'l2_enabled'>,
): ((bytes: Uint8Array) => void) => {
  const shared = cache.storage !== 'memory' && cache.l2_enabled
  return (bytes) => {
    const entry = deserializeEntry(bytes)
    if (entry === null) return
    const own = layers.lookup(entry.key.id)
    if (own === null ? shared : own.storedAtMs > entry.storedAtMs) return
    layers.promote(entry)
  }
}
