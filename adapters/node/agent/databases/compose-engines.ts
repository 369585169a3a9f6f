import { existsSync, readFileSync } from 'node:fs'
import type { DatabasesConfig, PathsConfig } from '#handlers/domain/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { RunAs } from '../../process/as-user.ts'
import type { Engine } from './engine.ts'
import { createMariadbEngine } from './mariadb-engine.ts'
import { managedMariadb, systemMariadb } from './mariadb-server.ts'

const MARIADBD = '/usr/sbin/mariadbd'

/** Debian's package creates this user; without it the server is not installed. */
const mysqlUser = (): RunAs | null => {
  const row = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'mysql')
  return row ? { uid: Number(row[2]), gid: Number(row[3]), groups: 'none' } : null
}

/**
 * The database engines that the configuration asks for, and the socket that
 * `localhost` means to sites. `auto` is the system's server where systemd runs
 * it and we may administer it, else a private one of ours.
 */
export const composeEngines = (
  config: DatabasesConfig,
  paths: Pick<PathsConfig, 'state_dir' | 'run_dir' | 'log_dir'>,
  log: Log,
): { engines: Engine[]; mariadbSocket: string | null } => {
  const root = process.getuid?.() === 0
  const systemd = existsSync('/run/systemd/system')
  const mode = config.mariadb === 'auto' ? (root && systemd ? 'system' : 'managed') : config.mariadb
  if (mode === 'off') return { engines: [], mariadbSocket: null }
  const runAs = root ? mysqlUser() : null
  const socket = mode === 'system' ? config.mariadb_socket : `${paths.run_dir}/mariadb/mariadb.sock`
  const server =
    mode === 'system'
      ? systemMariadb(socket)
      : managedMariadb(
          {
            binary: MARIADBD,
            installer: '/usr/bin/mariadb-install-db',
            dataDir: `${paths.state_dir}/databases/mariadb`,
            socket,
            logFile: `${paths.log_dir}/mariadb.log`,
            runAs,
          },
          log,
        )
  // Without its package there is no user to run it as: never as root.
  if (root && mode === 'managed' && runAs === null) return { engines: [], mariadbSocket: socket }
  return { engines: [createMariadbEngine(server, MARIADBD)], mariadbSocket: socket }
}
