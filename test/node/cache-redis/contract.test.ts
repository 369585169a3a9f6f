import { afterAll, beforeAll, describe, it } from 'vitest'
import { createRedisMarks, createRedisStore, type RedisDriver } from '#edge-cache/index.ts'
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

/** As services do that look at what a script touches: a key that it was not given is refused. */
const ONLY_GIVEN_KEYS = `
local given = {}
for _, key in ipairs(KEYS) do given[key] = true end
local real = redis
local function checked(how)
  return function(command, key, ...)
    if command ~= 'INFO' and command ~= 'PUBLISH' and not given[key] then error('not given: ' .. key) end
    return real[how](command, key, ...)
  end
end
local redis = { call = checked('call'), pcall = checked('pcall'), error_reply = real.error_reply }
`

const withGivenKeysOnly = (driver: RedisDriver): RedisDriver => ({
  send(key, [command = '', ...values], options) {
    if (command !== 'EVAL') return driver.send(key, [command, ...values], options)
    const [script, ...others] = values
    return driver.send(key, [command, `${ONLY_GIVEN_KEYS}${String(script)}`, ...others], options)
  },
})

describe('cache store: redis', () => {
  let histories = 0
  const cases = cacheStoreContract(async ({ limitBytes }) => {
    const address = parseRedisUrl(redis.url)
    if (typeof address === 'string') throw new Error(address)
    await redis.cli('flushall')
    const connection = openRedis(address)
    const driver = withGivenKeysOnly(connection)
    const marks = createRedisMarks(driver, { channel: 'berth:test', nowMs })
    const epoch = `history${histories++}`
    await eventually('the client is connected', async () =>
      marks.glance().then(
        () => true,
        () => false,
      ),
    )
    await marks.read(epoch, { epoch: '', sequence: 0 })
    const store = createRedisStore(driver, {
      limitBytes,
      epoch,
      known: () => 0,
      onBehind: () => undefined,
      nowMs,
    })
    return { store, dispose: () => Promise.resolve(connection.close()) }
    // Each of its 256 buckets is bounded by itself.
  }, 16)
  for (const { name, run } of cases) it(name, run)
})
