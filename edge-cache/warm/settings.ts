import type { CacheConfig } from '../config.ts'

/** The `warm_*` options as the queue takes them. */
export interface WarmSettings {
  /** Targets that may wait. */
  maxQueueSize: number
  /** Targets filled at a time. */
  maxConcurrency: number
  requestTimeoutMs: number
  /** Repetitions after the first attempt. */
  maxRetries: number
  /** Pause before the first repetition; doubled with each further one. */
  retryBackoffMs: number
  /** How long a target that was accepted is not accepted again. */
  dedupeWindowMs: number
}

/** The same values; the dedupe window in milliseconds. */
export const warmSettings = (config: CacheConfig): WarmSettings => ({
  maxQueueSize: config.warm_max_queue_size,
  maxConcurrency: config.warm_max_concurrency,
  requestTimeoutMs: config.warm_request_timeout_ms,
  maxRetries: config.warm_max_retries,
  retryBackoffMs: config.warm_retry_backoff_ms,
  dedupeWindowMs: config.warm_dedupe_window_secs * 1000,
})
