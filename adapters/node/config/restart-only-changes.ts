import { createHash } from 'node:crypto'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'

/** A digest of every key's value, by its dotted name: enough to see what differs, and no secret. */
export type KeyDigests = Readonly<Record<string, string>>

/**
 * What a reload takes up; `*` is a whole section. Everything else is read once,
 * when a process starts, so a key that is not named here is told to need a restart.
 */
const RELOADED: Readonly<Record<string, readonly string[] | '*'>> = {
  file: '*',
  include: '*',
  virtualhost: '*',
  remote_target: '*',
  mail: [
    'relay',
    'username',
    'password_file',
    'ca_file',
    'allow_plaintext',
    'from',
    'hello',
    'max_message_size',
    'max_recipients',
    'per_hour',
    'retry_hours',
    'keep_days',
    'keep_size',
    'log_days',
  ],
  ssl: ['protocols'],
  server: [
    'workers',
    'keepalive_timeout',
    'header_timeout',
    'request_timeout',
    'max_header_size',
    'max_body_size',
    'max_connections',
    'max_connections_per_address',
    'access_log',
    'worker_start_secs',
    'compress',
  ],
  cache: [
    'l1_enabled',
    'memory_limit',
    'default_ttl',
    'grace_secs',
    'ignore_query_params',
    'mobile_variant',
    'warm_enabled',
    'warm_schedule_secs',
    'warm_max_queue_size',
    'warm_max_concurrency',
    'warm_request_timeout_ms',
    'warm_max_retries',
    'warm_retry_backoff_ms',
    'warm_dedupe_window_secs',
    'warm_batch_size',
  ],
}

/** Dotted names of what a reload takes up. */
export const RELOADED_KEYS: readonly string[] = Object.entries(RELOADED).flatMap(
  ([section, keys]) => (keys === '*' ? [section] : keys.map((key) => `${section}.${key}`)),
)

const digest = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')

/** Digests of the keys that a reload does not change. */
export const digestFixedKeys = (config: ServerConfig): KeyDigests => {
  const digests: Record<string, string> = {}
  for (const [section, value] of Object.entries(config) as [string, unknown][]) {
    const reloaded = RELOADED[section] ?? []
    if (reloaded === '*') continue
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      digests[section] = digest(value)
    else
      for (const [key, one] of Object.entries(value))
        if (!reloaded.includes(key)) digests[`${section}.${key}`] = digest(one)
  }
  return digests
}

/** Dotted keys that differ from what Berth was started with and that a reload does not change. */
export const restartOnlyChanges = (started: KeyDigests, now: ServerConfig): string[] => {
  const after = digestFixedKeys(now)
  return [...new Set([...Object.keys(started), ...Object.keys(after)])]
    .filter((key) => started[key] !== after[key])
    .sort()
}
