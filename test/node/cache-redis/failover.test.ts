import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { get } from '#test/node/web-server/support/get.ts'
import { phpHost } from '#test/node/web-server/support/php-site.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { directory, php, sharePhpSite } from '#test/node/web-server/support/shared-php-site.ts'
import { PASSWORD, startRedis, type RedisServer } from './support/redis-server.ts'
import { startRelay, type Relay } from '#test/support/servers/relay.ts'

sharePhpSite()

/** Each instance reaches Redis by a way of its own, which can be cut. */
interface Instance {
  web: WebProcess
  way: Relay
}
let redis: RedisServer
let a: Instance
let b: Instance
const start = async (): Promise<Instance> => {
  const way = await startRelay(redis.port)
  const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${way.port}`
  const web = await startWeb({
    workers: 2,
    cache: `storage = "redis"\nredis_url = "${url}"\n`,
    more: phpHost(php, 'p.test'),
  })
  return { web, way }
}
beforeEach(async () => {
  redis = await startRedis()
  ;[a, b] = await Promise.all([start(), start()])
  version('1')
  await Promise.all([reaches(a, 'on'), reaches(b, 'on')])
})
afterEach(async () => {
  await Promise.all([a.web.remove(), b.web.remove()])
  await Promise.all([a.way.close(), b.way.close()])
  await redis.remove()
})

const version = (text: string): void => writeFileSync(join(directory, 'site/version'), text)
const stats = async ({ web }: Instance): Promise<Record<string, unknown>> =>
  (await web.management('GET', '/api/v1/cache/stats')).body as Record<string, unknown>
const reaches = (one: Instance, state: 'on' | 'off'): Promise<void> =>
  eventually(`Redis is ${state}`, async () => (await stats(one))['l2_state'] === state)
/** As every worker of the instance has it. */
const versions = async ({ web }: Instance, path: string): Promise<string[]> => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => get(web.port, 'p.test', path)))
  return [...new Set(answers.map(({ body }) => body.split(' ')[1] ?? ''))]
}
const purge = async ({ web }: Instance, path: string): Promise<void> => {
  const query = `domain=p.test&path=${path}`
  expect((await web.management('POST', `/api/v1/cache/purge?${query}`)).status).toBe(200)
}
const epoch = (server: RedisServer): Promise<string> => server.cli('hget', 'berth:{marks}', 'epoch')

/**
 * `a` purges /a, `b`, cut off, /b. A server with what there was at the time of `keep`
 * then takes the place of the first: the purge of /b would get the number of that of /a.
 */
const forgetting = async (keep: () => unknown, lose: () => Promise<RedisServer>): Promise<void> => {
  for (const path of ['/a', '/b']) {
    expect(await versions(a, path)).toEqual(['1'])
    expect(await versions(b, path)).toEqual(['1'])
  }
  await keep()
  b.way.lead(null)
  await reaches(b, 'off')
  version('2')
  await purge(a, '/a')
  await purge(b, '/b')
  a.way.lead(null)
  await reaches(a, 'off')
  const server = await lose()
  // The one that was cut off hands over its purge first.
  b.way.lead(server.port)
  await reaches(b, 'on')
  a.way.lead(server.port)
  await reaches(a, 'on')
  for (const path of ['/a', '/b'])
    for (const one of [a, b])
      await eventually(`${path} is new`, async () => (await versions(one, path)).join() === '2')
}

describe('purges that Redis forgot', () => {
  it('are not missed when a replica takes the place of the server', async () => {
    const first = await epoch(redis)
    const way = await startRelay(redis.port)
    const replica = await startRedis({
      more: ['--replicaof', '127.0.0.1', String(way.port), '--masterauth', PASSWORD],
    })
    try {
      // A server takes another name for its first replica as well, which costs a cold start.
      await eventually('another history', async () => (await epoch(redis)) !== first)
      const before = await epoch(redis)
      const keep = async (): Promise<void> => {
        await redis.cli('set', 'last', 'written')
        await eventually(
          'the replica has everything',
          async () => (await replica.cli('get', 'last')) === 'written',
        )
        way.lead(null)
      }
      await forgetting(keep, async () => {
        await redis.stop()
        expect(await epoch(replica)).toBe(before)
        await replica.cli('replicaof', 'no', 'one')
        return replica
      })
      expect(await epoch(replica)).not.toBe(before)
    } finally {
      await way.close()
      await replica.remove()
    }
  })

  it('are not missed when the server starts with an older file', async () => {
    const before = await epoch(redis)
    await forgetting(
      () => redis.cli('save'),
      async () => {
        await redis.stop()
        await redis.start()
        return redis
      },
    )
    expect(await epoch(redis)).not.toBe(before)
  })
})
