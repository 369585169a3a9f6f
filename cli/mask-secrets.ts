import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { maskRedisUrl } from '#handlers/domain/config/redis-url.ts'

/** What stands in place of a secret. */
const MASK = '********'

/** The configuration as it may be shown: no secret leaves it. */
export const maskSecrets = (config: ServerConfig): ServerConfig => ({
  ...config,
  cache: {
    ...config.cache,
    redis_url: config.cache.redis_url === null ? null : maskRedisUrl(config.cache.redis_url, MASK),
  },
})
