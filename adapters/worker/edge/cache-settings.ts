import { z } from 'zod'
import { type CacheConfig, DEFAULT_CACHE_CONFIG } from '#edge-cache/config.ts'
import { SECTION_SCHEMAS } from '#handlers/domain/config/schema.ts'

/** Of the 128 MiB that an isolate has. */
const MEMORY_LIMIT = '48M'
/** One order asks origins so many times at most: requests that a Worker makes for another are counted. */
const WARM_QUEUE_SIZE = 200
const WARM_BATCH_SIZE = 30

/** Options of `[cache]` that mean something in a Worker. */
const schema = SECTION_SCHEMAS.cache.pick({
  enable: true,
  l1_enabled: true,
  l2_enabled: true,
  memory_limit: true,
  default_ttl: true,
  grace_secs: true,
  ignore_query_params: true,
  mobile_variant: true,
  warm_enabled: true,
  warm_max_queue_size: true,
  warm_max_concurrency: true,
  warm_request_timeout_ms: true,
  warm_max_retries: true,
  warm_retry_backoff_ms: true,
  warm_batch_size: true,
})

/** The cache's options, and what is wrong with the variable; then the defaults count. */
export const parseCacheSettings = (
  variable: unknown,
): { config: CacheConfig; problem: string | null } => {
  const defaults: CacheConfig = {
    ...DEFAULT_CACHE_CONFIG,
    memory_limit: MEMORY_LIMIT,
    when_alone: 'strict',
    warm_max_queue_size: WARM_QUEUE_SIZE,
    warm_batch_size: WARM_BATCH_SIZE,
    // Each order has a queue of its own.
    warm_dedupe_window_secs: 0,
  }
  if (variable === undefined) return { config: defaults, problem: null }
  let value = variable
  try {
    if (typeof variable === 'string') value = JSON.parse(variable)
  } catch {
    // No JSON: refused below, as any text.
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success)
    return { config: defaults, problem: `CACHE: ${z.prettifyError(parsed.error)}` }
  const given = Object.entries(parsed.data).filter(([, one]) => one !== undefined)
  return { config: { ...defaults, ...Object.fromEntries(given) }, problem: null }
}
