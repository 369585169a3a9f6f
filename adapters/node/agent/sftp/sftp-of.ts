import { dirname, join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { SSHD } from '../../sshd/sshd-settings.ts'
import { JAILS } from './jails.ts'
import { ROOMS } from './shells/shell-rooms.ts'
import type { SftpDeps } from './sftp-port.ts'

/** What this installation does for SFTP, by its configuration. */
export const sftpOf = (
  { ssh, paths, panel, databases }: Pick<ServerConfig, 'ssh' | 'paths' | 'panel' | 'databases'>,
  asRoot: boolean,
): Pick<SftpDeps, 'dropIn' | 'keys' | 'off' | 'host' | 'tmp' | 'sockets'> => {
  const host = ssh.host ?? (panel.tls.includes('.') ? panel.tls : null)
  const off = asRoot
    ? 'It is switched off: sftp in section [ssh] of berth.toml.'
    : 'Berth runs without root here, so accounts have no users of their own.'
  const places = {
    rooms: join(paths.run_dir, 'sftp', ROOMS),
    jails: join(paths.run_dir, 'sftp', JAILS),
    keys: join(paths.state_dir, 'sftp', 'keys'),
  }
  const wanted = asRoot && ssh.sftp
  return {
    ...(asRoot ? { keys: places.keys } : {}),
    host,
    off,
    tmp: join(paths.state_dir, 'account-tmp'),
    sockets: [databases.mariadb_socket, databases.postgresql_socket].map((path) => dirname(path)),
    dropIn: wanted
      ? { sshd: SSHD, configFile: ssh.config_file, places, owner: paths.state_dir, port: ssh.port }
      : null,
  }
}
