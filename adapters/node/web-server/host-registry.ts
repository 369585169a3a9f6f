import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import {
  createVirtualHostTable,
  type NameRules,
  type VirtualHostTable,
} from '#handlers/sites/names/virtual-host-table.ts'
import type { HostChanges } from './workers/messages.ts'

/** The virtual hosts of one process. The table is built whole and then swapped, so a request sees one state. */
export interface HostRegistry {
  table(): VirtualHostTable
  size(): number
  all(): Iterable<VirtualHostConfig>
  apply(changes: HostChanges): void
}

export const createHostRegistry = (
  hosts: readonly VirtualHostConfig[],
  panelName: string | null = null,
  rules: NameRules = {},
): HostRegistry => {
  const byDomain = new Map(hosts.map((host) => [host.domain, host]))
  let table = createVirtualHostTable([...byDomain.values()], panelName, rules)
  return {
    table: () => table,
    size: () => byDomain.size,
    all: () => byDomain.values(),
    apply: ({ put, removed }) => {
      for (const domain of removed) byDomain.delete(domain)
      for (const host of put) byDomain.set(host.domain, host)
      table = createVirtualHostTable([...byDomain.values()], panelName, rules)
    },
  }
}
