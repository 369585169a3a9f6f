import { afterAll, beforeAll, describe, it } from 'vitest'
import { createRedisMarks, createRedisStore } from '#edge-cache/index.ts'
import { openRedis } from '#adapters/node/web-server/cache/redis/redis-connection.ts'
import { parseRedisUrl } from '#handlers/domain/config/redis-url.ts'
import { cacheStoreContract } from '#test/contract/cache/cache-store.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'

let redis: RedisServer
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.remove())

/** The contract's entries live in the first minutes of 1970. */
const nowMs = (): number => 2_000

describe('cache store: redis', () => {
  let histories = 0
  const cases = cacheStoreContract(async ({ limitBytes }) => {
    const address = parseRedisUrl(redis.url)
    if (typeof address === 'string') throw new Error(address)
    await redis.cli('flushall')
    const connection = openRedis(address)
    const marks = createRedisMarks(connection, { channel: 'berth:test', nowMs })
    const epoch = `history${histories++}`
    await eventually('the client is connected', async () =>
      marks.glance().then(
        () => true,
        () => false,
      ),
    )
    await marks.read(epoch, { epoch: '', sequence: 0 })
    const store = createRedisStore(connection, {
      limitBytes,
      epoch,
      known: () => 0,
      onBehind: () => undefined,
      nowMs,
    })
    return { store, dispose: () => Promise.resolve(connection.close()) }
  })
  for (const { name, run } of cases) it(name, run)
})
