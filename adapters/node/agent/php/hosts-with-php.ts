import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import type { PhpPool } from '#handlers/ports/host/web-server.ts'
import type { Registry } from '../registry/types.ts'

/** A virtual host whose PHP is the agent's business. */
export interface HostWithPhp {
  username: string
  /** Null version: the account's. Null: no PHP. */
  php: { version: string | null; mode: PhpMode; pool?: PhpPool } | null
}

/** Virtual hosts with PHP, as they stand in root's own records. */
export interface HostsWithPhp {
  find(domain: string): HostWithPhp | null
  of(username: string): HostWithPhp[]
}

/** Generated files carry a uid, and the registry knows better than they. */
const isHandWritten = (host: VirtualHostConfig): boolean =>
  host.username !== null && host.uid === null && host.php.socket === null

const toHost = ({ username, php }: VirtualHostConfig): HostWithPhp => ({
  username: username ?? '',
  php: php.enable
    ? {
        version: php.version,
        mode: php.mode,
        ...(php.pool && {
          pool: {
            maxChildren: php.pool.max_children,
            memoryLimit: php.pool.memory_limit,
            ini: php.pool.ini,
          },
        }),
      }
    : null,
})

/**
 * The registry's hosts, and those that `berth.toml` gives an account by
 * `username`. A name in both is the registry's. `configured` answers another
 * array after the configuration was read again.
 */
export const createHostsWithPhp = (
  registry: Pick<Registry, 'vhost' | 'vhostsOf'>,
  configured: () => readonly VirtualHostConfig[],
): HostsWithPhp => {
  let read: readonly VirtualHostConfig[] | null = null
  let known = new Map<string, HostWithPhp>()
  const written = (): ReadonlyMap<string, HostWithPhp> => {
    const now = configured()
    if (now !== read)
      known = new Map(now.filter(isHandWritten).map((host) => [host.domain, toHost(host)]))
    read = now
    return known
  }
  return {
    find: (domain) => registry.vhost(domain) ?? written().get(domain) ?? null,
    of: (username) => [
      ...registry.vhostsOf(username),
      ...[...written().values()].filter((host) => host.username === username),
    ],
  }
}
