import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { bindControlSocket } from '../process/bind-control-socket.ts'
import { findGroup } from '../process/identities.ts'

/** Where the end of a tunnel on this machine reaches the link. */
export const tunnelSocket = (runDir: string): string => join(runDir, 'link-tunnel.sock')

/**
 * The link's unix socket for programs of `[link] tunnel_group`, such as the end of a tunnel, which ends TLS
 * elsewhere. Null where none is asked for; and where there is no such group, which is said: all else starts.
 *
 * @param uid of the link's user; null: everything has one user
 */
export const bindTunnelSocket = (
  { file, link, paths }: Pick<ServerConfig, 'file' | 'link' | 'paths'>,
  uid: number | null,
  print: (text: string) => void,
): { fd: number } | null => {
  if (link.tunnel_group === null) return null
  // Who is not root cannot give the socket to a group; then his own programs alone reach it.
  if (uid === null) return bindControlSocket(tunnelSocket(paths.run_dir), null, 0o600)
  const gid = findGroup(link.tunnel_group)
  if (gid !== null) return bindControlSocket(tunnelSocket(paths.run_dir), { uid, gid }, 0o660)
  print(
    `There is no group ${link.tunnel_group} on this machine, so no tunnel reaches the link. Create it, or change [link] tunnel_group in ${file}, then start Berth again.`,
  )
  return null
}
