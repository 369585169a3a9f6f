import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRedis, type RedisServer } from '#test/node/cache-redis/support/redis-server.ts'
import { get } from '#test/node/web-server/support/get.ts'
import { phpHost } from '#test/node/web-server/support/php-site.ts'
import { eventually, startWeb } from '#test/node/web-server/support/web-process.ts'
import { sampled } from '#test/support/sampled.ts'
import { php, sharePhpSite } from '#test/node/web-server/support/shared-php-site.ts'

let redis: RedisServer
sharePhpSite()
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(async () => {
  await redis.remove()
})

interface Layers {
  l1: { entries: number } | null
  l2: { entries: number } | null
  l2_state: string
}

const storages = ['memory', 'disk', 'redis'] as const
const all = storages.flatMap((storage) =>
  [true, false].flatMap((l1) => [true, false].map((l2) => ({ storage, l1, l2 }))),
)
const hasSecondLayer = ({ storage, l2 }: (typeof all)[number]): boolean =>
  l2 && storage !== 'memory'
/** Where there is no second layer, the storage is next to nothing to the answers. */
const combinations = [
  ...all.filter(hasSecondLayer),
  ...sampled(
    'storages without a second layer',
    all.filter((one) => !hasSecondLayer(one)),
    {
      keep: 4,
    },
  ),
]

describe('storage with each layer on and off', () => {
  it.each(combinations)('$storage, L1 $l1, L2 $l2', async (combination) => {
    const { storage, l1, l2 } = combination
    const hasL2 = hasSecondLayer(combination)
    await redis.cli('flushall')
    php.resetRuns()
    const place = {
      memory: '',
      disk: 'disk_path = "{dir}/state/cache"\n',
      redis: `redis_url = "${redis.url}"\n`,
    }
    const web = await startWeb({
      workers: 1,
      cache: `storage = "${storage}"\n${place[storage]}l1_enabled = ${l1}\nl2_enabled = ${l2}\n`,
      more: phpHost(php, 'p.test'),
    })
    const layers = async (): Promise<Layers> =>
      (await web.management('GET', '/api/v1/cache/stats')).body as Layers
    const asked = async (): Promise<string | undefined> =>
      (await get(web.port, 'p.test')).headers['x-cache']
    try {
      if (hasL2) await eventually('L2 is on', async () => (await layers()).l2_state === 'on')
      expect(await asked()).toBe('MISS')
      expect(await asked()).toBe(l1 || hasL2 ? 'HIT' : 'MISS')
      const now = await layers()
      expect(now.l1?.entries ?? null).toBe(l1 ? 1 : null)
      expect(now.l2_state).toBe(hasL2 ? 'on' : 'none')
      expect(now.l2 === null).toBe(!hasL2)
      await web.management('POST', '/api/v1/cache/purge')
      expect(await asked()).toBe('MISS')
      await web.end()
      await web.startAgain()
      if (hasL2) await eventually('L2 is on', async () => (await layers()).l2_state === 'on')
      expect(await asked()).toBe(hasL2 ? 'HIT' : 'MISS')
      // Parallel misses still run the origin once.
      if (!l1 && !hasL2) {
        const before = php.runs()
        const all = await Promise.all(
          Array.from({ length: 8 }, () => get(web.port, 'p.test', '/c')),
        )
        expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
        expect(php.runs() - before).toBeLessThan(8)
      }
    } finally {
      await web.remove()
    }
  })
})
