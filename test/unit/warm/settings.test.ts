import { expect, it } from 'vitest'
import { DEFAULT_CACHE_CONFIG, type CacheConfig } from '#edge-cache/config.ts'
import { warmSettings } from '#edge-cache/index.ts'

const KEYS: [keyof CacheConfig, number, Partial<ReturnType<typeof warmSettings>>][] = [
  ['warm_max_queue_size', 7, { maxQueueSize: 7 }],
  ['warm_max_concurrency', 9, { maxConcurrency: 9 }],
  ['warm_request_timeout_ms', 11, { requestTimeoutMs: 11 }],
  ['warm_max_retries', 5, { maxRetries: 5 }],
  ['warm_retry_backoff_ms', 13, { retryBackoffMs: 13 }],
  ['warm_dedupe_window_secs', 3, { dedupeWindowMs: 3000 }],
]

it.each(KEYS)('%s = %i reaches the queue', (key, value, expected) => {
  const plain = warmSettings(DEFAULT_CACHE_CONFIG)
  expect(warmSettings({ ...DEFAULT_CACHE_CONFIG, [key]: value })).toEqual({ ...plain, ...expected })
})

it('the defaults are the documented ones', () => {
  expect(warmSettings(DEFAULT_CACHE_CONFIG)).toEqual({
    maxQueueSize: 2048,
    maxConcurrency: 4,
    requestTimeoutMs: 5000,
    maxRetries: 2,
    retryBackoffMs: 250,
    dedupeWindowMs: 120_000,
  })
})
