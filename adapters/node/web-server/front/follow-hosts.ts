import { request } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { hostTag, purgeDomain, purgeSiteTag, type PurgeScope } from '#edge-cache/index.ts'
import { answersTo } from '#handlers/domain/domains/wildcard-name.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { parseProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'
import type { PurgeReceipt } from '#handlers/management/management-port.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { WatchedChannel } from '../../web-channel/channel-files.ts'
import { VISITOR_FIELD, visitorText } from '../../web-channel/visitor-field.ts'
import { channelOptions } from '../proxy/connect-upstream.ts'
import { FRONT_ITSELF, ORDERS_HOST, parseOrders, type PurgeOrder } from './orders.ts'

/** Longer than a host holds a question. */
const ANSWER_MS = 10_000
/** Pause after a question that nothing came of. */
const AGAIN_MS = 500
/** Hosts that came or went with a reload are noticed so soon. */
const LOOK_MS = 1000
const MOST_BYTES = 32 * 2 ** 20
/** Purges that one order may become; what would be more is one of all the host's sites. */
const MOST_MADE = 100_000

type Site = Pick<VirtualHostConfig, 'domain' | 'aliases'>

const HOST_TAG = hostTag('')
const KEY = /^(?:https?:)?\/\/([^/]+)\//

/**
 * What a host may have made new here: pages of the sites that lie on it. A purge of everything, and of
 * a tag wherever it is, is one of these sites alone.
 */
export const scopesOfHost = (
  scopes: readonly PurgeScope[],
  sites: readonly Site[],
): PurgeScope[] => {
  // A host that was taken over must not fill a front that others use too.
  if (scopes.length * sites.length > MOST_MADE)
    return sites.flatMap(({ domain }) => purgeDomain(domain))
  const names = sites.flatMap(({ domain, aliases }) => [domain, ...aliases])
  return scopes.flatMap((scope): PurgeScope[] => {
    const as = (made: PurgeScope[]): PurgeScope[] =>
      scope.soft === true ? made.map((one) => ({ ...one, soft: true })) : made
    if (scope.kind === 'all') return as(sites.flatMap(({ domain }) => purgeDomain(domain)))
    if (scope.kind === 'tag') {
      if (!scope.tag.startsWith(HOST_TAG))
        return as(sites.flatMap(({ domain }) => purgeSiteTag(domain, scope.tag)))
      const named = scope.tag.slice(HOST_TAG.length).split(' ', 1)[0] ?? ''
      return answersTo(names, named) ? [scope] : []
    }
    const [, named = ''] = KEY.exec(scope.kind === 'key' ? scope.id : scope.prefix) ?? []
    return answersTo(names, named) ? [scope] : []
  })
}

const sitesOn = (config: ServerConfig, id: string): VirtualHostConfig[] =>
  config.virtualhost.filter(({ proxy }) => proxy?.channel === id)

/** Where hosts are asked, by their ids; a host with several addresses is asked at the first. */
const hostsOf = (config: ServerConfig): Map<string, string> => {
  const found = new Map<string, string>()
  for (const { proxy } of config.virtualhost)
    if (proxy?.channel !== undefined && !found.has(proxy.channel))
      found.set(proxy.channel, proxy.upstream)
  return found
}

/**
 * A front's part of purges that begin at the hosts behind it: asks each of them without an end, carries
 * out what it is told and says so. What did not reach all fronts, since Redis is away, is not said.
 */
export const followHosts = (deps: {
  config(): ServerConfig
  channel: WatchedChannel
  purge(scopes: readonly PurgeScope[], cause: string): Promise<PurgeReceipt>
  log: Log
}): { close(): void } => {
  const closing = new AbortController()
  const { signal } = closing
  const followed = new Set<string>()

  const ask = (id: string, upstream: string, done: readonly string[]): Promise<PurgeOrder[]> => {
    const target = parseProxyUpstream(upstream)
    if (typeof target === 'string' || target.kind !== 'tcp')
      return Promise.reject(new Error(`${upstream} is no listener for fronts`))
    const body = JSON.stringify({ done })
    return new Promise((resolve, reject) => {
      const outgoing = request({
        ...channelOptions(id, deps.channel.now()),
        ...{ host: target.host, port: target.port, agent: false, method: 'POST', path: '/purges' },
        headers: {
          host: ORDERS_HOST,
          [VISITOR_FIELD]: visitorText(FRONT_ITSELF),
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          connection: 'close',
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      })
      outgoing.on('error', reject)
      outgoing.on('response', (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (part: string) => {
          text += part
          if (text.length > MOST_BYTES) answer.destroy(new Error('the answer is too large'))
        })
        answer.on('error', reject)
        answer.on('end', () => {
          const orders = answer.statusCode === 200 ? parseOrders(text) : null
          if (orders === null) reject(new Error(`it answered ${answer.statusCode}`))
          else resolve(orders)
        })
      })
      outgoing.end(body)
    })
  }
  const carryOut = async (id: string, { id: order, scopes }: PurgeOrder): Promise<string[]> => {
    const own = scopesOfHost(scopes, sitesOn(deps.config(), id))
    if (own.length === 0) return [order]
    const { others } = await deps.purge(own, `host:${id}`)
    return others === 'kept' ? [] : [order]
  }
  const follow = async (id: string): Promise<void> => {
    let done: string[] = []
    let said = ''
    while (!signal.aborted) {
      const upstream = hostsOf(deps.config()).get(id)
      if (upstream === undefined) break
      try {
        const orders = await ask(id, upstream, done)
        if (said !== '') deps.log.info('a host tells its purges again', { host: id })
        said = ''
        done = (await Promise.all(orders.map((order) => carryOut(id, order)))).flat()
        if (done.length < orders.length) await wait(AGAIN_MS, undefined, { signal })
      } catch (error) {
        done = []
        if (signal.aborted) break
        if (said === '')
          deps.log.warn('a host does not tell its purges', { host: id, error: String(error) })
        said = String(error)
        await wait(AGAIN_MS, undefined, { signal }).catch(() => undefined)
      }
    }
    followed.delete(id)
  }
  const look = (): void => {
    for (const id of hostsOf(deps.config()).keys())
      if (!followed.has(id)) {
        followed.add(id)
        void follow(id)
      }
  }
  look()
  const looking = setInterval(look, LOOK_MS)
  looking.unref()
  return {
    close: () => {
      clearInterval(looking)
      closing.abort()
    },
  }
}
