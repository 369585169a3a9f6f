import { afterAll, beforeAll, describe, it } from 'vitest'
import { createRedisMarks, createRedisStore } from '#edge-cache/index.ts'
import {
  openRedis,
  type RedisConnection,
} from '#adapters/node/web-server/cache/redis/redis-connection.ts'
import { parseRedisUrl } from '#handlers/domain/config/redis-url.ts'
import type { LowerLayer } from '#test/contract/cache/page-mode/cache-harness.ts'
import { rfcContract } from '#test/contract/cache/rfc9111/rfc9111.ts'
import { eventually } from '#test/node/web-server/support/web-process.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'

/** When the clock of the cases begins. */
const nowMs = (): number => 1_700_000_000_000

let redis: RedisServer
let connection: RedisConnection
beforeAll(async () => {
  redis = await startRedis()
  const address = parseRedisUrl(redis.url)
  if (typeof address === 'string') throw new Error(address)
  connection = openRedis(address)
  await eventually('the client is connected', async () =>
    connection.send('', ['PING']).then(
      () => true,
      () => false,
    ),
  )
})
afterAll(async () => {
  connection?.close()
  await redis?.remove()
})

describe('a shared cache over redis', () => {
  let histories = 0
  const emptied = async (): Promise<LowerLayer> => {
    await connection.send('', ['FLUSHALL'])
    const epoch = `history${histories++}`
    const marks = createRedisMarks(connection, { channel: 'berth:test', nowMs })
    await marks.read(epoch, { epoch: '', sequence: 0 })
    const open = () =>
      createRedisStore(connection, {
        limitBytes: 16 * 2 ** 20,
        epoch,
        known: () => 0,
        onBehind: () => undefined,
        nowMs,
      })
    return { source: { name: 'redis', open }, dispose: () => Promise.resolve() }
  }
  for (const { name, run } of rfcContract(emptied)) it(name, run)
})
