/** Options of section `[cache]`; names, types and defaults are the spec's. */
export interface CacheConfig {
  enable: boolean
  l1_enabled: boolean
  l2_enabled: boolean
  storage: 'memory' | 'disk' | 'redis'
  /** Size string with unit suffix, e.g. `256M`; total of all workers. */
  memory_limit: string
  disk_path: string | null
  /** Size string; bound of the disk layer, or of what all instances keep in Redis. */
  disk_limit: string
  redis_url: string | null
  /**
   * What an instance does that Redis does not answer: `serve` what it has stored, perhaps from
   * before a purge of another instance, or, `strict`, nothing that is stored; purges then are
   * answered once no instance shows what they hit.
   */
  when_alone: 'serve' | 'strict'
  /** Seconds. */
  default_ttl: number
  /**
   * Seconds after its end for which a page may be served stale, while one request
   * refreshes it or in place of an error; the origin's own `stale-while-revalidate`
   * and `stale-if-error` count before it. 0: only where the origin allows it.
   */
  grace_secs: number
  /**
   * Query parameters that no page depends on (`*` at the end is a prefix): a
   * request with no others is answered as if it had no query. Empty: off.
   */
  ignore_query_params: string[]
  /** Whether phones get pages of their own, by `User-Agent`. */
  mobile_variant: boolean
  warm_enabled: boolean
  /** Seconds between deterministic runs; 0 is off. */
  warm_schedule_secs: number
  warm_max_queue_size: number
  warm_max_concurrency: number
  warm_request_timeout_ms: number
  warm_max_retries: number
  warm_retry_backoff_ms: number
  warm_dedupe_window_secs: number
  warm_batch_size: number
}

/** Whose requests fill pages; see `CacheRule.fills`. */
export type PageFilling = 'auto' | 'visitor' | 'neutral'

/** Section `[virtualhost.cache]`. */
export interface CacheRule {
  enable: boolean
  /**
   * `page`: HTML pages under the rules of the page cache. `http`: anything the
   * origin permits, as RFC 9111 has it for shared caches; `ttl` is then what an
   * response without freshness of its own gets (default 0), and cookies count only
   * where `bypass_cookies` names them.
   */
  mode: 'page' | 'http'
  /**
   * Whose request fills a page: `visitor` his own, whose response is stored where it
   * shows nothing of him; `neutral` one in which nothing is a visitor's, which costs
   * a second run where an address is asked for the first time; `auto` the visitor's,
   * until the site was found to answer by language or browser without saying so.
   */
  fills: PageFilling
  /** Seconds; null takes `default_ttl`. */
  ttl: number | null
  /** Exact paths, or prefixes ending in `*`. */
  exclude: string[]
  /** Cookie names (`*` at the end is a prefix) that bypass the cache, replacing the built-in list. */
  bypass_cookies: string[] | null
  /**
   * Names of cookies (`*` at the end is a prefix) that tell nothing of who is asking,
   * whatever they are called, hold, or were seen to be set by. Not looked at beside
   * `bypass_cookies`.
   */
  harmless_cookies: string[]
  /**
   * Names of cookies (`*` at the end is a prefix) that keep their owner from the cache
   * in addition to the built-in list. Not looked at beside `bypass_cookies`.
   */
  session_cookies: string[]
  /** Profile of the application: its name, `none`, or null to recognise it by the document root. */
  application: string | null
  /** Replaces the list of `[cache]`; null takes that. */
  ignore_query_params: string[] | null
  /** Null takes the setting of `[cache]`. */
  mobile_variant: boolean | null
  /** Media types of responses that are stored, lower case, without parameters. */
  content_types: string[]
  /** Whether `GET /purge/<path>` of who may send PURGE does the same; nobody else gets anything there. */
  purge_path: boolean
}

/** What counts where `[cache]` says nothing. */
export const DEFAULT_CACHE_CONFIG: CacheConfig = {
  enable: true,
  l1_enabled: true,
  l2_enabled: true,
  storage: 'memory',
  memory_limit: '256M',
  disk_path: null,
  disk_limit: '2G',
  redis_url: null,
  when_alone: 'serve',
  default_ttl: 3600,
  grace_secs: 0,
  ignore_query_params: [],
  mobile_variant: false,
  warm_enabled: true,
  warm_schedule_secs: 0,
  warm_max_queue_size: 2048,
  warm_max_concurrency: 4,
  warm_request_timeout_ms: 5000,
  warm_max_retries: 2,
  warm_retry_backoff_ms: 250,
  warm_dedupe_window_secs: 120,
  warm_batch_size: 64,
}

/** What counts where `[virtualhost.cache]` says nothing. */
export const DEFAULT_CACHE_RULE: CacheRule = {
  enable: true,
  mode: 'page',
  fills: 'auto',
  ttl: null,
  exclude: [],
  bypass_cookies: null,
  harmless_cookies: [],
  session_cookies: [],
  application: null,
  ignore_query_params: null,
  mobile_variant: null,
  content_types: ['text/html'],
  purge_path: false,
}

const UNITS: Record<string, number> = {
  '': 1,
  B: 1,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
}

/** Bytes of a size string such as `256M`, `2G`, `512 KB`, `1048576`; null when it is none. */
export const parseSizeBytes = (text: string): number | null => {
  const match = /^(\d{1,15})\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim())
  const unit = match && UNITS[(match[2] ?? '').toUpperCase()]
  if (!match || unit === null || unit === undefined) return null
  const bytes = Number(match[1]) * unit
  return Number.isSafeInteger(bytes) ? bytes : null
}
