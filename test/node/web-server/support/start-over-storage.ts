import type { RedisServer } from '#test/node/cache-redis/support/redis-server.ts'
import { eventually, startWeb, type WebProcess } from './web-process.ts'

/** Where workers can keep pages that they share. */
export const STORAGES = ['memory', 'disk', 'redis'] as const

/** A web server with two workers over a storage; resolves when that is in use. `more`: virtual hosts. */
export const startOverStorage = async (
  storage: (typeof STORAGES)[number],
  redis: RedisServer,
  more: string,
): Promise<WebProcess> => {
  const place = {
    memory: '',
    disk: 'disk_path = "{dir}/state/cache"\n',
    redis: `redis_url = "${redis.url}"\n`,
  }
  const cache = `storage = "${storage}"\n${place[storage]}`
  const web = await startWeb({ workers: 2, cache, more })
  try {
    await eventually('the layer is on', async () => {
      const { body } = await web.management('GET', '/api/v1/cache/stats')
      return (body as { l2_state: string }).l2_state === 'on'
    })
  } catch (error) {
    await web.remove()
    throw error
  }
  return web
}
