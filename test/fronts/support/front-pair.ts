import { join } from 'node:path'
import { channelDirectory } from '#adapters/node/web-channel/channel-files.ts'
import { ownChannelLine, trustAtChannel } from '#adapters/node/web-channel/own-channel.ts'
import {
  PASSWORD,
  startRedis,
  type RedisServer,
} from '#test/node/cache-redis/support/redis-server.ts'
import { startRelay, type Relay } from '#test/support/servers/relay.ts'
import { phpHost, type PhpSite } from '#test/node/web-server/support/php-site.ts'
import { startWeb, type WebProcess } from '#test/node/web-server/support/web-process.ts'
import { freePorts } from '#test/support/free-ports.ts'

/** A front, and its ways to Redis and to the host, which can be cut. */
export interface Front {
  id: string
  web: WebProcess
  redis: Relay
  host: Relay
}

/** One host with a PHP site at `p.test`, two fronts before it, and the Redis that these share. */
export interface FrontPair {
  host: WebProcess
  /** Its listener for fronts. */
  frontPort: number
  redis: RedisServer
  fronts: [Front, Front]
  remove(): Promise<void>
}

export const HOST_ID = 'host-one'

/** Where a web server's keys and list of the web channel lie. */
export const channelOf = ({ directory }: Pick<WebProcess, 'directory'>): string =>
  channelDirectory(join(directory, 'state'))

/** A virtual host of a front. */
const frontHost = (port: number): string => `
[[virtualhost]]
domain = "p.test"
aliases = ["www.p.test"]
[virtualhost.proxy]
upstream = "https://127.0.0.1:${port}"
channel = "${HOST_ID}"
[virtualhost.cache]
ttl = 600
`

/** `hostMore`: further lines of the host's site. */
export const startFrontPair = async (php: PhpSite, hostMore = ''): Promise<FrontPair> => {
  const undo: (() => Promise<unknown>)[] = []
  const remove = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }
  try {
    const redis = await startRedis()
    undo.push(() => redis.remove())
    const [frontPort = 0] = await freePorts(1)
    const host = await startWeb({
      workers: 2,
      server: `front_listen = ["127.0.0.1:${frontPort}"]\n`,
      more: phpHost(php, 'p.test', `aliases = ["www.p.test"]\n${hostMore}`),
    })
    undo.push(() => host.remove())
    const hostLine = await ownChannelLine(channelOf(host), { id: HOST_ID, role: 'host' }, null)
    const start = async (id: string): Promise<Front> => {
      const [toRedis, toHost] = await Promise.all([startRelay(redis.port), startRelay(frontPort)])
      undo.push(
        () => toRedis.close(),
        () => toHost.close(),
      )
      const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${toRedis.port}`
      const web = await startWeb({
        workers: 2,
        cache: `storage = "redis"\nredis_url = "${url}"\nwhen_alone = "strict"\n`,
        more: frontHost(toHost.port),
      })
      undo.push(() => web.remove())
      const line = await ownChannelLine(channelOf(web), { id, role: 'front' }, null)
      trustAtChannel(channelOf(web), hostLine, null)
      trustAtChannel(channelOf(host), line, null)
      return { id, web, redis: toRedis, host: toHost }
    }
    const fronts: [Front, Front] = [await start('front-a'), await start('front-b')]
    return { host, frontPort, redis, fronts, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
