import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Log } from '#handlers/ports/log.ts'
import { bindListener, ListenError } from '../../../process/bind-listener.ts'
import { asUser } from '../../../process/as-user.ts'
import type { RunAs } from '../../../process/as-user.ts'
import { mustRun } from '../../../process/run-command.ts'
import { MAINTENANCE } from './session.ts'
import { isFree } from '../remote/is-free.ts'
import type { RemoteListener } from '../remote/server-certificate.ts'
import { isRule } from './host-rules.ts'
import { adoptServer, ownDirectory, spawnServer } from '../server-process.ts'
import type { RunningServer, ServerCommand } from '../server-process.ts'

/** Places and user of a private server. */
export interface PostgresqlPlaces {
  dataDir: string
  /** Belongs to the server's user and lets everyone pass: sites connect here. */
  socketDirectory: string
  port: number
  logFile: string
  /** Null: the current user (rootless mode). */
  runAs: RunAs | null
  /** Null: this machine alone is served. */
  listener: RemoteListener | null
}

/** Role that `initdb` makes, with all rights. */
export const ADMINISTRATOR = 'postgres'

const INSTALLED = '/usr/lib/postgresql'

/**
 * Directory of the server's programs: those of the version that made the data
 * directory, else the newest; null when there are none.
 */
export const findPostgresql = (dataDir: string | null): string | null => {
  if (!existsSync(INSTALLED)) return null
  const versionFile = `${dataDir}/PG_VERSION`
  const wanted =
    dataDir !== null && existsSync(versionFile) ? readFileSync(versionFile, 'latin1').trim() : null
  const [newest] = readdirSync(INSTALLED)
    .filter((name) => /^\d+$/.test(name) && (wanted === null || name === wanted))
    .filter((name) => existsSync(`${INSTALLED}/${name}/bin/postgres`))
    .sort((a, b) => Number(b) - Number(a))
  return newest === undefined ? null : `${INSTALLED}/${newest}/bin`
}

/** A small server: hosting on one machine, where PHP and the page cache want the memory. */
const OPTIONS = [
  '--unix_socket_permissions=0777',
  '--shared_buffers=64MB',
  '--max_connections=150',
  '--superuser_reserved_connections=5',
  '--authentication_timeout=10s',
  '--password_encryption=scram-sha-256',
  '--max_wal_senders=0',
  '--wal_level=minimal',
  '--max_wal_size=256MB',
  '--max_prepared_transactions=0',
  '--max_parallel_workers_per_gather=0',
  '--jit=off',
  // Statements that fail hold tenants' data, and the log is ours.
  '--log_min_error_statement=panic',
  '--log_parameter_max_length_on_error=0',
  '--log_timezone=UTC',
]

/** Whoever comes from elsewhere uses TLS; a server that was left with other options is started anew. */
const networkOptions = (listener: RemoteListener | null): string[] =>
  listener === null
    ? ['--ssl=off']
    : [
        '--ssl=on',
        `--ssl_cert_file=${listener.certificate}`,
        `--ssl_key_file=${listener.key}`,
        '--ssl_min_protocol_version=TLSv1.2',
      ]

const hbaFile = ({ dataDir }: PostgresqlPlaces): string => `${dataDir}-hba.conf`
const identFile = ({ dataDir }: PostgresqlPlaces): string => `${dataDir}-ident.conf`

/** Who may log in how. The agent is recognised by the kernel's word; passwords never open its role. */
const HBA = `local all ${ADMINISTRATOR} peer map=berth
local ${MAINTENANCE},template0,template1 all reject
local all all scram-sha-256
host all ${ADMINISTRATOR} all reject
host ${MAINTENANCE},template0,template1 all all reject
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`

/** Lines that let users of accounts in from elsewhere lie beside, and come last. */
const rulesFile = ({ dataDir }: PostgresqlPlaces): string => `${dataDir}-remote.conf`

/** The part of the server's list of logins that lets in from other machines. */
export interface HostRules {
  read(): string[]
  /** The server reads them once it is told to. */
  write(rules: readonly string[]): void
}

const writeWhole = (file: string, text: string): void => {
  writeFileSync(`${file}.new`, text, { mode: 0o644 })
  renameSync(`${file}.new`, file)
}

/** Rules of a private server: lines that anybody else put there count for nothing. */
export const hostRules = (places: PostgresqlPlaces): HostRules => {
  const file = rulesFile(places)
  return {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(isRule) : []),
    write(rules) {
      const text = rules.map((rule) => `${rule}\n`).join('')
      writeWhole(file, text)
      writeWhole(hbaFile(places), HBA + (places.listener === null ? '' : text))
    },
  }
}

/**
 * Creates the cluster, once. It is made beside and renamed, so that an
 * interrupted run leaves nothing that looks complete.
 */
export const installPostgresql = async (places: PostgresqlPlaces, log: Log): Promise<void> => {
  const { dataDir, runAs } = places
  const parent = path.dirname(dataDir)
  mkdirSync(parent, { recursive: true })
  chmodSync(parent, 0o711)
  // Beside the cluster and ours: its own user does not decide who administers it.
  const agent = runAs ? 'root' : os.userInfo().username
  const rules = hostRules(places)
  rules.write(rules.read())
  await places.listener?.lay()
  writeFileSync(identFile(places), `berth "${agent}" ${ADMINISTRATOR}\n`, { mode: 0o644 })
  if (existsSync(dataDir)) return
  const bin = findPostgresql(dataDir)
  if (bin === null) throw new Error('PostgreSQL is not installed')
  log.info('Creating the private PostgreSQL server', { directory: dataDir })
  const fresh = `${dataDir}.new`
  rmSync(fresh, { recursive: true, force: true })
  ownDirectory(fresh, 0o700, runAs)
  const { program, args } = asUser(runAs, `${bin}/initdb`, [
    `--pgdata=${fresh}`,
    `--username=${ADMINISTRATOR}`,
    '--auth=reject',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--data-checksums',
  ])
  await mustRun(program, args, { timeoutMs: 300_000 })
  renameSync(fresh, dataDir)
}

/**
 * What `localhost` is to PostgreSQL's clients. It is bound for the whole machine's server alone,
 * and only where nobody else has the port: the server would not start.
 */
const loopback = (places: PostgresqlPlaces, log: Log): string => {
  if (places.runAs === null) return ''
  const free = ['127.0.0.1', '::1'].filter((address) => {
    try {
      bindListener(`${address === '::1' ? '[::1]' : address}:${places.port}`).close()
      return true
    } catch (error) {
      if (!(error instanceof ListenError)) throw error
      if (error.code === 'EADDRINUSE')
        log.warn('PostgreSQL is not reachable as localhost', { why: error.message })
      return false
    }
  })
  return free.join(',')
}

const command = (
  places: PostgresqlPlaces,
  listen = '',
  listener = places.listener,
): ServerCommand => ({
  binary: `${findPostgresql(places.dataDir) ?? INSTALLED}/postgres`,
  identity: `--data_directory=${places.dataDir}`,
  options: [...networkOptions(listener), ...OPTIONS],
  more: [
    `--config_file=${places.dataDir}/postgresql.conf`,
    `--hba_file=${hbaFile(places)}`,
    `--ident_file=${identFile(places)}`,
    `--unix_socket_directories=${places.socketDirectory}`,
    `--port=${places.port}`,
    `--listen_addresses=${listen}`,
  ],
  logFile: places.logFile,
  runAs: places.runAs,
})

/** Starts the server; see `spawnServer`. */
export const spawnPostgresql = (places: PostgresqlPlaces, log: Log): RunningServer => {
  ownDirectory(places.socketDirectory, 0o755, places.runAs)
  const { listener, port } = places
  // It would not start at all where somebody else has the port.
  if (listener !== null && isFree(port, log)) return spawnServer(command(places, '*', listener))
  return spawnServer(command(places, loopback(places, log), null))
}

/** The server that an earlier agent left on our data directory, or null. */
export const adoptPostgresql = (places: PostgresqlPlaces): RunningServer | null =>
  adoptServer(command(places))
