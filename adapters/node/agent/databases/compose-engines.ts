import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DatabasesConfig, PathsConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { RunAs } from '../../process/as-user.ts'
import type { Engine } from './engine.ts'
import { createMariadbEngine } from './mariadb/engine.ts'
import { managedMariadb, systemMariadb } from './mariadb/server.ts'
import { SYSTEM_MARIADB } from '../../system-mariadb/system-places.ts'
import { createPostgresqlEngine } from './postgresql/engine.ts'
import { ADMINISTRATOR } from './postgresql/process.ts'
import type { RemoteListener } from './remote/server-certificate.ts'
import { managedPostgresql, systemPostgresql } from './postgresql/server.ts'

const MARIADBD = '/usr/sbin/mariadbd'

/** PostgreSQL's own; it stands in the name of the socket too. */
export const POSTGRESQL_PORT = 5432
/** MariaDB's own. */
export const MARIADB_PORT = 3306

type Servers = Pick<
  DatabasesConfig,
  'mariadb' | 'mariadb_socket' | 'postgresql' | 'postgresql_socket'
>

type Paths = Pick<PathsConfig, 'state_dir' | 'run_dir' | 'log_dir'>

/** Debian's package creates this user; without it the server is not installed. */
const serverUser = (wanted: string): RunAs | null => {
  const row = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === wanted)
  return row ? { uid: Number(row[2]), gid: Number(row[3]), groups: 'none' } : null
}

const isRoot = (): boolean => process.getuid?.() === 0

/** Makes the listener of an engine that other machines may reach; null where they may not. */
export type MakeListener = (
  engine: 'mariadb' | 'postgresql',
  runAs: RunAs | null,
) => RemoteListener | null

const composeMariadb = (
  config: Servers,
  paths: Paths,
  log: Log,
  listener: MakeListener,
): { engine: Engine | null; socket: string | null } => {
  const root = isRoot()
  const systemd = existsSync('/run/systemd/system')
  const mode = config.mariadb === 'auto' ? (root && systemd ? 'system' : 'managed') : config.mariadb
  if (mode === 'off') return { engine: null, socket: null }
  const runAs = root ? serverUser('mysql') : null
  const socket = mode === 'system' ? config.mariadb_socket : `${paths.run_dir}/mariadb/mariadb.sock`
  // Without its package there is no user to run it as: never as root.
  if (root && mode === 'managed' && runAs === null) return { engine: null, socket }
  const server =
    mode === 'system'
      ? systemMariadb({ ...SYSTEM_MARIADB, socket }, listener('mariadb', runAs), log)
      : managedMariadb(
          {
            binary: MARIADBD,
            installer: '/usr/bin/mariadb-install-db',
            dataDir: `${paths.state_dir}/databases/mariadb`,
            socket,
            logFile: `${paths.log_dir}/mariadb.log`,
            runAs,
            listener: listener('mariadb', runAs),
          },
          log,
        )
  return { engine: createMariadbEngine(server, MARIADBD), socket }
}

const composePostgresql = (
  config: Servers,
  paths: Paths,
  log: Log,
  listener: MakeListener,
): Engine | null => {
  if (config.postgresql === 'off') return null
  const runAs = isRoot() ? serverUser('postgres') : null
  if (isRoot() && runAs === null) return null
  if (config.postgresql === 'system') {
    const directory = path.dirname(config.postgresql_socket)
    const port = Number(path.extname(config.postgresql_socket).slice(1))
    const administrator = ADMINISTRATOR
    return createPostgresqlEngine(
      systemPostgresql({ directory, port, administrator, connectAs: runAs }),
    )
  }
  const remote = listener('postgresql', runAs)
  return createPostgresqlEngine(
    managedPostgresql(
      {
        dataDir: `${paths.state_dir}/databases/postgresql`,
        socketDirectory: `${paths.run_dir}/postgresql`,
        port: remote?.port ?? POSTGRESQL_PORT,
        logFile: `${paths.log_dir}/postgresql.log`,
        runAs,
        listener: remote,
      },
      log,
    ),
  )
}

/**
 * The database engines that the configuration asks for, and the socket that
 * `localhost` means to MySQL's clients in sites. With `auto` MariaDB is the system's server
 * where systemd runs it and we may administer it, else a private one of ours. PostgreSQL is
 * private: who may log in to the system's, and over what, is its administrator's to say.
 */
export const composeEngines = (
  config: Servers,
  paths: Paths,
  log: Log,
  listener: MakeListener = () => null,
): { engines: Engine[]; mariadbSocket: string | null } => {
  const { engine, socket } = composeMariadb(config, paths, log, listener)
  const engines = [engine, composePostgresql(config, paths, log, listener)]
  return { engines: engines.filter((one) => one !== null), mariadbSocket: socket }
}
