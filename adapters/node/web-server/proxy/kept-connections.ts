import { Agent } from 'node:http'
import type { LookupFunction } from 'node:net'
import { Agent as TlsAgent } from 'node:https'
import type { ProxyRule, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { ProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'
import type { WatchedChannel } from '../../web-channel/channel-files.ts'
import { channelOptions, tlsOptions } from './connect-upstream.ts'

/** A kept connection that nobody used for so long is closed; most applications do so themselves sooner. */
const IDLE_MS = 15_000
/** Requests under way at one application, per worker; more wait. Streams of events count as well. */
const MAX_SOCKETS = 1024
const MAX_CHANNEL_SOCKETS = 256
const MAX_AGENTS = 256

/** Below what one address may have open at the other machine. A resumed session would not be looked at. */
const ofChannel = (way: ReturnType<typeof channelOptions>) => ({
  ...way,
  ...{ maxSockets: MAX_CHANNEL_SOCKETS, maxCachedSessions: 0 },
})

/** Connections that are kept for the next request, one pool per application and way to talk to it. */
export interface KeptConnections {
  /** Null where connections are not kept. */
  agentFor(target: ProxyUpstream, rule: ProxyRule, vhost: VirtualHostConfig): Agent | null
}

/**
 * `lookup`: DNS of rules whose upstreams must lie in the internet. `channel`: keys of the web channel;
 * with other ones other connections are made.
 */
export const createKeptConnections = (
  lookup: LookupFunction,
  channel: WatchedChannel | null = null,
): KeptConnections => {
  const agents = new Map<string, Agent>()
  /** Pools of upstreams that no virtual host names any more are empty after a while. */
  const prune = (): void => {
    for (const [key, agent] of agents) {
      const used = [agent.sockets, agent.freeSockets, agent.requests]
      if (used.every((all) => Object.keys(all).length === 0)) agents.delete(key)
    }
  }
  return {
    agentFor: (target, rule, vhost) => {
      if (rule.keepalive_connections === 0) return null
      // An account's socket file is judged for each connection.
      if (target.kind === 'unix' && vhost.username !== null) return null
      const { upstream, keepalive_connections: kept, verify_tls: verify, reach } = rule
      const keys = rule.channel === undefined ? null : (channel?.now() ?? null)
      const way = rule.channel === undefined ? null : channelOptions(rule.channel, keys)
      // Where one may be led the other may not, though both call it by one name.
      const key = JSON.stringify([upstream, kept, verify, reach, way?.ca, way?.cert])
      let agent = agents.get(key)
      if (agent === undefined) {
        if (agents.size >= MAX_AGENTS) prune()
        const options = {
          keepAlive: true,
          maxSockets: MAX_SOCKETS,
          maxFreeSockets: kept,
          scheduling: 'lifo' as const,
          timeout: IDLE_MS,
          ...(reach === 'internet' ? { lookup } : {}),
        }
        agent =
          target.kind === 'tcp' && target.secure
            ? new TlsAgent({
                ...options,
                ...(way === null ? tlsOptions(target.host, verify) : ofChannel(way)),
              })
            : new Agent(options)
        agents.set(key, agent)
      }
      return agent
    },
  }
}
