import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { isLimited } from '../guard/site-guard.ts'
import { endsInNumber } from '../../domain/text/ends-in-number.ts'

/** The virtual hosts of one configuration, by name. Immutable: a reload makes a new one. */
export interface VirtualHostTable {
  /** The virtual host of a name (lower case, no port, no final dot); null when there is none. */
  find(host: string): VirtualHostConfig | null
  /** Number of virtual hosts, not of names. */
  size: number
  /** Whether any of them has limits of requests. */
  isLimited: boolean
}

/**
 * A domain wins over an alias of the same name, the earlier of two aliases over the later.
 * `panelName` is the panel's own: whatever host claims it, no site answers there, because
 * a page under that name could act in the panel as whoever looks at it. There is no
 * catch-all and no wildcard either, so a bare address of the machine is nobody's.
 */
export const createVirtualHostTable = (
  hosts: readonly VirtualHostConfig[],
  panelName: string | null = null,
): VirtualHostTable => {
  const names = new Map<string, VirtualHostConfig>()
  const add = (name: string, host: VirtualHostConfig): void => {
    const key = name.toLowerCase()
    if (!names.has(key) && key !== panelName && !endsInNumber(key)) names.set(key, host)
  }
  for (const host of hosts) add(host.domain, host)
  for (const host of hosts) for (const alias of host.aliases) add(alias, host)
  return {
    find: (host) => names.get(host) ?? null,
    size: hosts.length,
    isLimited: hosts.some(isLimited),
  }
}
