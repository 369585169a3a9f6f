import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { SSHD } from '../../sshd/sshd-settings.ts'
import { JAILS } from './jails.ts'
import type { SftpDeps } from './sftp-port.ts'

/** What this installation does for SFTP, by its configuration. */
export const sftpOf = (
  { ssh, paths, panel }: Pick<ServerConfig, 'ssh' | 'paths' | 'panel'>,
  asRoot: boolean,
): Pick<SftpDeps, 'dropIn' | 'keys' | 'off' | 'host'> => {
  const host = ssh.host ?? (panel.tls.includes('.') ? panel.tls : null)
  const off = asRoot
    ? 'It is switched off: sftp in section [ssh] of berth.toml.'
    : 'Berth runs without root here, so accounts have no users of their own.'
  const places = {
    jails: join(paths.run_dir, 'sftp', JAILS),
    keys: join(paths.state_dir, 'sftp', 'keys'),
  }
  const wanted = asRoot && ssh.sftp
  return {
    ...(asRoot ? { keys: places.keys } : {}),
    host,
    off,
    dropIn: wanted
      ? { sshd: SSHD, configFile: ssh.config_file, places, owner: paths.state_dir, port: ssh.port }
      : null,
  }
}
