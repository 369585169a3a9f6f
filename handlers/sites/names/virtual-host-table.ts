import type { DefaultHost, VirtualHostConfig } from '../../domain/config/config-types.ts'
import { wildcardBase } from '../../domain/domains/wildcard-name.ts'
import { endsInNumber } from '../../domain/text/ends-in-number.ts'
import { isLimited } from '../guard/site-guard.ts'

/** The virtual hosts of one configuration, by name. Immutable: a reload makes a new one. */
export interface VirtualHostTable {
  /**
   * The virtual host of a name (lower case, no port, no final dot); null when there is none.
   * An exact name wins over a wildcard, which is also found by itself (`*.example.com`).
   */
  find(host: string): VirtualHostConfig | null
  /** Whether a name is written down, as a domain, alias or wildcard; others answer to a wildcard at most. */
  isNamed(host: string): boolean
  /**
   * The virtual host that answers at a name: its own, else the one for unknown names, which
   * is none where it is suspended or has used up its traffic.
   */
  answering(host: string): VirtualHostConfig | null
  /** What answers at unknown names, virtual hosts left aside; null: the page that says so. */
  unknown: DefaultHost | null
  /** Whether anything but the page that says so answers at a name that `find` knows nothing of. */
  isCaught(host: string): boolean
  /** Number of virtual hosts, not of names. */
  size: number
  /** Whether any of them has limits of requests. */
  isLimited: boolean
}

/** What is said of names beside virtual hosts. */
export interface NameRules {
  /** See `VirtualHostTable.unknown`. Default: null. */
  unknown?: DefaultHost | null
  /** Names of the machine, at which nothing but the panel answers. Default: `localhost` alone. */
  machineNames?: readonly string[]
}

/**
 * A domain wins over an alias of the same name, the earlier of two aliases over the later.
 * `panelName` is the panel's own: whatever host claims it, no site answers there, because
 * a page under that name could act in the panel as whoever looks at it. A bare address of
 * the machine is nobody's either, and nothing is caught there.
 */
export const createVirtualHostTable = (
  hosts: readonly VirtualHostConfig[],
  panelName: string | null = null,
  { unknown = null, machineNames = [] }: NameRules = {},
): VirtualHostTable => {
  const names = new Map<string, VirtualHostConfig>()
  /** By the name above. */
  const wildcards = new Map<string, VirtualHostConfig>()
  const add = (name: string, host: VirtualHostConfig): void => {
    const key = name.toLowerCase()
    if (names.has(key) || key === panelName || endsInNumber(key)) return
    names.set(key, host)
    const base = wildcardBase(key)
    if (base !== null) wildcards.set(base, host)
  }
  for (const host of hosts) add(host.domain, host)
  for (const host of hosts) for (const alias of host.aliases) add(alias, host)

  const findByWildcard = (host: string): VirtualHostConfig | null => {
    if (host === panelName) return null
    const dot = host.indexOf('.')
    return dot < 1 ? null : (wildcards.get(host.slice(dot + 1)) ?? null)
  }
  const find = (host: string): VirtualHostConfig | null => {
    const found = names.get(host)
    if (found !== undefined) return found
    return wildcards.size === 0 ? null : findByWildcard(host)
  }
  const fallback =
    hosts.find((one) => one.default_host === true && !one.suspended && !one.over_bandwidth) ?? null
  const ours = new Set(['', 'localhost', ...machineNames.map((name) => name.toLowerCase())])
  if (panelName !== null) ours.add(panelName)
  const isAnybodys = (host: string): boolean =>
    !ours.has(host) && !host.startsWith('[') && !endsInNumber(host)
  return {
    find,
    answering: (host) => find(host) ?? (fallback !== null && isAnybodys(host) ? fallback : null),
    unknown,
    isCaught: (host) =>
      (fallback !== null || unknown !== null) && isAnybodys(host) && find(host) === null,
    isNamed: (host) => names.has(host),
    size: hosts.length,
    isLimited: hosts.some(isLimited),
  }
}
