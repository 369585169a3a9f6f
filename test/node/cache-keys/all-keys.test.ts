import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { DEFAULT_CACHE_CONFIG } from '#edge-cache/config.ts'
import { SECTION_SCHEMAS, VIRTUAL_HOST_SCHEMA } from '#handlers/domain/config/schema.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

const SECTION = 'test/node/cache-keys/cache-section.test.ts'
const HOST = 'test/node/cache-keys/virtual-host-section.test.ts'
const WARM = 'test/node/cache-keys/warm-section.test.ts'
const QUEUE = 'test/node/warm/warm.test.ts'

/** The test that fails when the key is ignored; it sets or names the key. */
const TESTS: Record<string, string> = {
  'cache.enable': SECTION,
  'cache.l1_enabled': SECTION,
  'cache.l2_enabled': SECTION,
  'cache.storage': SECTION,
  'cache.memory_limit': SECTION,
  'cache.disk_path': SECTION,
  'cache.disk_limit': SECTION,
  'cache.default_ttl': SECTION,
  'cache.grace_secs': SECTION,
  'cache.ignore_query_params': SECTION,
  'cache.mobile_variant': SECTION,
  'cache.redis_url': 'test/node/cache-disk/combinations.test.ts',
  'cache.when_alone': 'test/node/cache-redis/strict.test.ts',
  'cache.warm_enabled': QUEUE,
  'cache.warm_schedule_secs': QUEUE,
  'cache.warm_max_queue_size': WARM,
  'cache.warm_max_concurrency': QUEUE,
  'cache.warm_request_timeout_ms': WARM,
  'cache.warm_max_retries': WARM,
  'cache.warm_retry_backoff_ms': WARM,
  'cache.warm_dedupe_window_secs': WARM,
  'cache.warm_batch_size': QUEUE,
  'virtualhost.cache.enable': HOST,
  'virtualhost.cache.mode': HOST,
  'virtualhost.cache.fills': HOST,
  'virtualhost.cache.ttl': HOST,
  'virtualhost.cache.exclude': HOST,
  'virtualhost.cache.bypass_cookies': HOST,
  'virtualhost.cache.harmless_cookies': HOST,
  'virtualhost.cache.session_cookies': HOST,
  'virtualhost.cache.application': 'test/node/cache-visitors/applications.test.ts',
  'virtualhost.cache.ignore_query_params': HOST,
  'virtualhost.cache.mobile_variant': HOST,
  'virtualhost.cache.content_types': HOST,
  'virtualhost.cache.purge_path': 'test/node/web-server/cache/purge-method.test.ts',
}

const sectionKeys = Object.keys(SECTION_SCHEMAS.cache.shape)
const hostKeys = Object.keys(VIRTUAL_HOST_SCHEMA.shape.cache.unwrap().shape)
const text = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), 'utf8')

beforeAll(makeDirectory)

/** Problems of a configuration. */
const problems = async (toml: string) => {
  const file = join(directory, 'berth.toml')
  writeFileSync(file, toml)
  const loaded = await loadConfig(file)
  return { file, problems: loaded.ok ? [] : loaded.problems }
}

describe('every key of [cache] and [virtualhost.cache]', () => {
  it('has a test that names it', () => {
    const keys = [
      ...sectionKeys.map((key) => `cache.${key}`),
      ...hostKeys.map((key) => `virtualhost.cache.${key}`),
    ]
    expect(Object.keys(TESTS).sort()).toEqual(keys.sort())
    for (const [key, file] of Object.entries(TESTS)) {
      const name = key.slice(key.lastIndexOf('.') + 1)
      expect(new RegExp(`\\b${name}\\b`).test(text(file)), `${key} in ${file}`).toBe(true)
    }
  })

  it('has the default that the documentation prints', () => {
    expect(DEFAULT_CACHE_CONFIG).toMatchObject({
      enable: true,
      l1_enabled: true,
      l2_enabled: true,
      storage: 'memory',
      memory_limit: '256M',
      disk_path: null,
      disk_limit: '2G',
      redis_url: null,
      default_ttl: 3600,
      warm_enabled: true,
      warm_schedule_secs: 0,
      warm_max_queue_size: 2048,
      warm_max_concurrency: 4,
      warm_request_timeout_ms: 5000,
      warm_max_retries: 2,
      warm_retry_backoff_ms: 250,
      warm_dedupe_window_secs: 120,
      warm_batch_size: 64,
    })
    expect(Object.keys(DEFAULT_CACHE_CONFIG).sort()).toEqual([...sectionKeys].sort())
  })

  it.each(sectionKeys)(
    'cache.%s: a wrong value is an error with file, line and key',
    async (key) => {
      const found = await problems(`# a comment\n[cache]\n${key} = { wrong = 1 }\n`)
      expect(found.problems).toMatchObject([{ file: found.file, line: 3, key: `cache.${key}` }])
      expect(found.problems[0]?.message.length).toBeGreaterThan(10)
    },
  )

  it.each(hostKeys)('virtualhost.cache.%s: so is one here', async (key) => {
    const host = '[[virtualhost]]\ndomain = "a.test"\nroot = "/srv"\n[virtualhost.cache]\n'
    const found = await problems(`${host}${key} = { wrong = 1 }\n`)
    expect(found.problems).toMatchObject([
      { file: found.file, line: 5, key: `virtualhost[0].cache.${key}` },
    ])
  })

  it.each([
    ['storage = "tape"', 'storage'],
    ['storage = "disk"', 'disk_path'],
    ['storage = "redis"', 'redis_url'],
    ['memory_limit = "lots"', 'memory_limit'],
    ['disk_limit = "-1M"', 'disk_limit'],
    ['default_ttl = -1', 'default_ttl'],
    ['default_ttl = 1.5', 'default_ttl'],
    ['redis_url = "http://a"', 'redis_url'],
    ['warm_max_concurrency = 0', 'warm_max_concurrency'],
    ['enabel = true', 'enabel'],
  ])('%s is refused', async (line, key) => {
    const found = await problems(`[cache]\n${line}\n`)
    expect(found.problems).toMatchObject([{ file: found.file, key: `cache.${key}` }])
  })
})
