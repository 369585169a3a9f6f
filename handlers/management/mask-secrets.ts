import type { CacheConfig } from '../../edge-cache/config.ts'
import { maskRedisUrl } from '../domain/config/redis-url.ts'

const MASK = '***'

/** The cache configuration as it may be shown. */
export const maskCacheConfig = (config: CacheConfig): CacheConfig => ({
  ...config,
  redis_url: config.redis_url === null ? null : maskRedisUrl(config.redis_url, MASK),
})
