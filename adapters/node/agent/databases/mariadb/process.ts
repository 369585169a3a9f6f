import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Log } from '#handlers/ports/log.ts'
import { asUser } from '../../../process/as-user.ts'
import type { RunAs } from '../../../process/as-user.ts'
import { mustRun } from '../../../process/run-command.ts'
import { adoptServer, ownDirectory, spawnServer } from '../server-process.ts'
import type { RunningServer, ServerCommand } from '../server-process.ts'
import { isFree } from '../remote/is-free.ts'
import type { RemoteListener } from '../remote/server-certificate.ts'

/** Binaries, places and user of a private server. */
export interface MariadbPlaces {
  /** `mariadbd`. */
  binary: string
  installer: string
  dataDir: string
  /** Its directory belongs to the server's user and lets everyone pass: sites connect here. */
  socket: string
  logFile: string
  /** Null: the current user (rootless mode). */
  runAs: RunAs | null
  /** Null: this machine alone is served. */
  listener: RemoteListener | null
}

/** Whoever comes over the network uses TLS, whatever an account of the server's says. */
const networkOptions = (listener: RemoteListener | null): string[] =>
  listener === null
    ? ['--skip-networking']
    : [
        '--bind-address=*',
        `--port=${listener.port}`,
        `--ssl-cert=${listener.certificate}`,
        `--ssl-key=${listener.key}`,
        '--tls-version=TLSv1.2,TLSv1.3',
        '--require-secure-transport=ON',
        // Nobody holds a connection for long before he has logged in.
        '--connect-timeout=5',
      ]

/** A small server: hosting on one machine, where PHP and the page cache want the memory. */
const OPTIONS = [
  // DATA DIRECTORY is ignored then: with it a tenant's table could lie in, and destroy, another's database.
  '--skip-symbolic-links',
  '--skip-log-bin',
  '--skip-name-resolve',
  '--local-infile=OFF',
  '--performance-schema=OFF',
  '--innodb-buffer-pool-size=64M',
  '--innodb-log-file-size=32M',
  '--max-connections=250',
  '--character-set-server=utf8mb4',
  '--collation-server=utf8mb4_unicode_ci',
]

/**
 * Creates the system tables, once. They are made beside and renamed, so that an
 * interrupted run leaves nothing that looks complete. Root logs in by its
 * operating system user alone; there is no anonymous user and no test database.
 */
export const installMariadb = async (places: MariadbPlaces, log: Log): Promise<void> => {
  const { dataDir, runAs } = places
  await places.listener?.lay()
  if (existsSync(dataDir)) return
  log.info('Creating the private MariaDB server', { directory: dataDir })
  const parent = path.dirname(dataDir)
  mkdirSync(parent, { recursive: true })
  chmodSync(parent, 0o711)
  const fresh = `${dataDir}.new`
  rmSync(fresh, { recursive: true, force: true })
  ownDirectory(fresh, 0o700, runAs)
  const { program, args } = asUser(runAs, places.installer, [
    '--no-defaults',
    `--datadir=${fresh}`,
    '--auth-root-authentication-method=socket',
    // Without this the server's own user could administer it as well as root.
    `--auth-root-socket-user=${runAs ? 'root' : os.userInfo().username}`,
    '--skip-test-db',
    '--innodb-log-file-size=32M',
  ])
  await mustRun(program, args, { timeoutMs: 300_000 })
  renameSync(fresh, dataDir)
}

const command = (places: MariadbPlaces, listener = places.listener): ServerCommand => ({
  binary: places.binary,
  first: ['--no-defaults'],
  identity: `--datadir=${places.dataDir}`,
  options: [...networkOptions(listener), ...OPTIONS],
  more: [
    `--socket=${places.socket}`,
    `--pid-file=${path.join(path.dirname(places.socket), 'mariadb.pid')}`,
  ],
  logFile: places.logFile,
  runAs: places.runAs,
})

/** Starts the server; see `spawnServer`. */
export const spawnMariadb = (places: MariadbPlaces, log: Log): RunningServer => {
  const { listener, runAs } = places
  ownDirectory(path.dirname(places.socket), 0o755, runAs)
  // It would not start at all where somebody else has the port.
  const listens = listener !== null && isFree(listener.port, log) ? listener : null
  return spawnServer(command(places, listens))
}

/** The server that an earlier agent left on our data directory, or null. */
export const adoptMariadb = (places: MariadbPlaces): RunningServer | null =>
  adoptServer(command(places))
