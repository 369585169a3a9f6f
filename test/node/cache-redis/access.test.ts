import { afterEach, describe, expect, it } from 'vitest'
import { chmodSync, readFileSync } from 'node:fs'
import { redisExposure } from '#adapters/node/web-server/cache/redis/redis-access.ts'
import { parseRedisUrl, type RedisAddress } from '#handlers/domain/config/redis-url.ts'
import { eventually, startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { startRedis, type RedisServer } from './support/redis-server.ts'

const addressOf = (url: string): RedisAddress => {
  const address = parseRedisUrl(url)
  if (typeof address === 'string') throw new Error(address)
  return address
}

let redis: RedisServer
let web: WebProcess | null = null
afterEach(async () => {
  await web?.remove()
  web = null
  await redis.remove()
})

describe('who may reach Redis', () => {
  it('takes a server that asks for its password', async () => {
    redis = await startRedis()
    expect(await redisExposure(addressOf(redis.url))).toBeNull()
  })

  it('refuses one that takes any password, and says so in the log and the statistics', async () => {
    redis = await startRedis({ password: false })
    const url = `redis://default:whatever@127.0.0.1:${redis.port}`
    expect(await redisExposure(addressOf(url))).toContain('answers without a password')
    web = await startWeb({ workers: 1, cache: `storage = "redis"\nredis_url = "${url}"\n` })
    const { management, output } = web
    await eventually('it is reported', () => output().includes('answers without a password'))
    const { body } = await management('GET', '/api/v1/cache/stats')
    expect(body).toMatchObject({ l2_state: 'off', l2: null })
    expect((body as { l2_fault: string }).l2_fault).toContain('requirepass')
  })

  it('takes a socket by who can open it', async () => {
    redis = await startRedis({ password: false })
    const address = addressOf(`unix://${redis.socket}`)
    expect(await redisExposure(address)).toBeNull()
    chmodSync(redis.socket, 0o777)
    expect(await redisExposure(address)).toContain('Every account on this host can open')
    chmodSync(redis.directory, 0o750)
    expect(await redisExposure(address)).toBeNull()
  })

  it('works over a socket', async () => {
    redis = await startRedis({ password: false })
    web = await startWeb({
      workers: 1,
      cache: `storage = "redis"\nredis_url = "unix://${redis.socket}?db=3"\n`,
    })
    const { management } = web
    await eventually('Redis is used', async () => {
      const { body } = await management('GET', '/api/v1/cache/stats')
      return (body as { l2_state: string }).l2_state === 'on'
    })
    expect(await redis.cli('-n', '3', 'exists', 'berth:{marks}')).toBe('1')
  })

  it('works as a user with the rights that docs/web-server.md names, and says what is missing', async () => {
    redis = await startRedis()
    const docs = readFileSync(new URL('../../../docs/web-server.md', import.meta.url), 'utf8')
    const [, rights = ''] = /`(~berth:\* [^`]+)`/.exec(docs) ?? []
    const grant = (...more: string[]): Promise<string> =>
      redis.cli('acl', 'setuser', 'pages', 'reset', 'on', '>secret', ...more)
    expect(await grant(...rights.split(' ').filter((right) => right !== '+info'))).toBe('OK')
    web = await startWeb({
      workers: 2,
      cache: `storage = "redis"\nredis_url = "redis://pages:secret@127.0.0.1:${redis.port}"\n`,
    })
    const stats = async () =>
      (await web?.management('GET', '/api/v1/cache/stats'))?.body as Record<string, unknown>
    await eventually('it is reported', async () =>
      /info/i.test(String((await stats())['l2_fault'])),
    )
    expect(await grant(...rights.split(' '))).toBe('OK')
    await eventually('Redis is used', async () => (await stats())['l2_state'] === 'on')
    expect((await web.management('POST', '/api/v1/cache/purge')).status).toBe(200)
    await eventually(
      'the purge is there',
      async () => (await redis.cli('hget', 'berth:{marks}', 'seq')) !== '0',
    )
    expect(await stats()).toMatchObject({ l2_state: 'on', l2_fault: null, l2: { entries: 0 } })
  })

  it('rejects while the server cannot be reached', async () => {
    redis = await startRedis()
    await redis.stop()
    await expect(redisExposure(addressOf(redis.url))).rejects.toThrow()
  })
})
