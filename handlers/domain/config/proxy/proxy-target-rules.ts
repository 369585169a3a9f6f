import { trimEndOf } from '../../../../edge-cache/fields/field-text.ts'
import { applicationsOf } from './backends.ts'
import type { ConfigProblem, ServerConfig, VirtualHostConfig } from '../config-types.ts'
import { parseProxyUpstream } from '../../upstreams/proxy-upstream.ts'
import { FIRST_FREE_PORT, internetTargetProblem } from '../../upstreams/internet-target.ts'
import { upstreamsOf } from './upstreams.ts'
import type { ConfigPath } from '../locate.ts'
import { parseListenAddress } from '../listen.ts'
import { problemAt } from '../problems.ts'
import type { PlacedVirtualHost } from '../rules.ts'
import type { ProxyReach } from '../virtual-host-config.ts'

/**
 * What an account may not pass requests on to: the web server stands inside the
 * machine, and whatever it can reach, the account could then reach from outside.
 * Null when `upstream` is allowed. Hand-written hosts (no account) may name
 * anything.
 */
export const accountTargetProblem = (
  upstream: string,
  owner: Pick<VirtualHostConfig, 'username' | 'home'>,
  reach?: ProxyReach,
): string | null => {
  if (reach === 'internet') return internetTargetProblem(upstream)
  if (owner.username === null) return null
  const target = parseProxyUpstream(upstream)
  if (typeof target === 'string') return target
  if (target.kind === 'unix') {
    if (owner.home !== null && target.path.startsWith(`${trimEndOf(owner.home, '/')}/`)) {
      return null
    }
    return "must be a socket inside the account's home. Move it there, or use a port of 127.0.0.1."
  }
  if (reach === 'anywhere') return null
  if (!target.loopback) {
    return `leads to "${target.host}". An account's application runs on this machine: use 127.0.0.1.`
  }
  if (target.port < FIRST_FREE_PORT) {
    return `leads to port ${target.port}, which is the system's. Use a port from ${FIRST_FREE_PORT} up.`
  }
  return null
}

/** All that a virtual host passes on to, with the keys that say so. */
const targetsOf = (host: VirtualHostConfig): { at: ConfigPath; upstream: string }[] =>
  applicationsOf(host).flatMap(({ key, rule }) =>
    upstreamsOf(rule).map((one) => ({ at: [...key, ...one.key], upstream: one.upstream })),
  )

/** Ports that our own processes listen on, with the key that says so. */
const ownPorts = (config: ServerConfig): Map<number, string> => {
  const ports = new Map<number, string>()
  const lists: [string, string[]][] = [
    ['[server] listen', config.server.listen],
    ['[server] listen_ssl', config.server.listen_ssl],
    ['[server] front_listen', config.server.front_listen],
    ['[panel] listen', config.panel.listen],
    ['[api] listen', config.api.listen],
    ['[panel] database_tool_port', [`127.0.0.1:${config.panel.database_tool_port}`]],
  ]
  for (const [key, entries] of lists) {
    for (const entry of entries) {
      const port = parseListenAddress(entry)?.port ?? 0
      if (port !== 0 && !ports.has(port)) ports.set(port, key)
    }
  }
  return ports
}

/**
 * Proxies that lead back to us: an account's to any of our ports, anybody's to
 * the sites' own (a circle) or to a socket in `run_dir` (the way to the agent).
 */
export const checkProxyTargets = (
  config: ServerConfig,
  hosts: readonly PlacedVirtualHost[],
): ConfigProblem[] => {
  const problems: ConfigProblem[] = []
  const ports = ownPorts(config)
  for (const { host, at, place } of hosts)
    for (const { at: keys, upstream } of targetsOf(host)) {
      const target = parseProxyUpstream(upstream)
      if (typeof target === 'string') continue
      const add = (message: string): void => {
        problems.push(problemAt(place, [...at, ...keys], message))
      }
      if (target.kind === 'unix') {
        if (target.path.startsWith(`${config.paths.run_dir}/`)) {
          add("is one of this server's own sockets. Name the application's socket.")
        }
        continue
      }
      const own = target.loopback ? ports.get(target.port) : undefined
      if (own === undefined) continue
      if (host.username !== null) {
        add(`leads to port ${target.port}, which is ours (${own}). Use the application's port.`)
      } else if (own.startsWith('[server]')) {
        add(`leads back to this web server (${own}): requests would go in a circle.`)
      }
    }
  return problems
}
