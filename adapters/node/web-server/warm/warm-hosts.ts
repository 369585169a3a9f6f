import type { WarmHost, WarmHosts } from '#edge-cache/index.ts'
import { panelNameOf } from '#handlers/domain/access/panel-name.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { normalizePathText } from '#handlers/sites/paths/request-path.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'

/** What visitors come over: a site of files only is stored once for both. */
const schemesOf = (host: VirtualHostConfig): WarmHost['schemes'] => {
  if (host.redirect_https) return 'https'
  const apart = host.php.enable || host.hsts_max_age_secs > 0
  return apart && host.ssl_certificate !== null ? 'both' : 'http'
}

const warmHost = (host: VirtualHostConfig, config: ServerConfig): WarmHost => ({
  domain: host.domain,
  aliases: host.aliases,
  suspended: host.suspended,
  cache: host.cache,
  schemes: schemesOf(host),
  mobileVariant: host.cache.mobile_variant ?? config.cache.mobile_variant,
})

/** The virtual hosts of a configuration as the warm parts see them. */
export const createWarmHosts = (config: ServerConfig): WarmHosts => {
  const table = createVirtualHostTable(config.virtualhost, panelNameOf(config))
  const { listen, listen_ssl } = config.server
  const ports = new Set([...listen, ...listen_ssl].map((one) => parseListenAddress(one)?.port))
  return {
    find: (name) => {
      const found = wildcardBase(name) === null ? table.find(name) : null
      return found === null ? null : warmHost(found, config)
    },
    // Of a wildcard nobody knows which of its names there are.
    all: () =>
      config.virtualhost
        .filter(({ domain }) => wildcardBase(domain) === null)
        .map((host) => warmHost(host, config)),
    normalizePath: normalizePathText,
    isOwnPort: (port) => ports.has(port),
  }
}
