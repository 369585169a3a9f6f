import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import type { VirtualHostTable } from './virtual-host-table.ts'

/**
 * Whether a request for `vhost` came over a TLS connection that was made to
 * another site: both have certificates of their own, and not the same. What the
 * client checked at the handshake says nothing about this site then (RFC 9110
 * 7.4). Without a server name, or with one that is nobody's, the client has
 * chosen by address, and every site answers.
 */
export const isMisdirected = (
  hosts: VirtualHostTable,
  vhost: VirtualHostConfig,
  serverName: string | null | undefined,
): boolean => {
  if (!serverName) return false
  const shown = hosts.find(serverName)
  if (shown === null || shown === vhost) return false
  if (shown.ssl_certificate === null || vhost.ssl_certificate === null) return false
  return shown.ssl_certificate !== vhost.ssl_certificate
}
