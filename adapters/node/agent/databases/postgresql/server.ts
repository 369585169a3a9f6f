import { existsSync } from 'node:fs'
import type { Log } from '#handlers/ports/log.ts'
import { closeDefaultSocket, openDefaultSocket, POSTGRESQL_DEFAULT } from '../default-socket.ts'
import { managedServer, systemServer } from '../managed-server.ts'
import type { RemoteListener } from '../remote/server-certificate.ts'
import {
  ADMINISTRATOR,
  adoptPostgresql,
  findPostgresql,
  hostRules,
  installPostgresql,
  spawnPostgresql,
} from './process.ts'
import type { HostRules, PostgresqlPlaces } from './process.ts'
import { MAINTENANCE, withPostgresql } from './session.ts'
import type { PostgresqlPlace } from './session.ts'
import type { DatabaseServer } from '../server.ts'

/** A server with the place where it answers. */
export interface PostgresqlServer extends DatabaseServer {
  place: PostgresqlPlace
  /** What applications write as host. */
  host: string
  /** Whether it is ours alone, so that every database on it may be closed to the public. */
  isPrivate: boolean
  /** Whether it has been needed before; a server of ours is made on first use. */
  isMade(): boolean
  /** Directory of its programs, null when they are not installed. */
  programs(): string | null
  /** How it listens for other machines; null: it does not. */
  listener: RemoteListener | null
  /** Who may come from there. */
  rules: HostRules
}

const answers = (place: PostgresqlPlace): Promise<boolean> =>
  withPostgresql(place, MAINTENANCE, (session) => session.run('SELECT 1')).then(
    () => true,
    () => false,
  )

const unreachable =
  'The PostgreSQL server does not answer. Look into its log, or set [databases] postgresql to the server that should be used.'

/**
 * A server that someone else runs, e.g. systemd. Who may log in over its socket is not
 * ours to say; `localhost` means TCP to PostgreSQL's clients, with passwords.
 */
export const systemPostgresql = (place: PostgresqlPlace): PostgresqlServer => ({
  place,
  host: 'localhost',
  isPrivate: false,
  isMade: () => true,
  programs: () => findPostgresql(null),
  listener: null,
  rules: { read: () => [], write: () => undefined },
  ...systemServer({ answers: () => answers(place), unreachable }),
})

const socketOf = ({ socketDirectory, port }: PostgresqlPlaces): string =>
  `${socketDirectory}/.s.PGSQL.${port}`

/**
 * Our private server. Applications name the directory of its socket as host, which always leads to it;
 * `localhost` does where the port was free. It listens beyond the loopback interface where that is asked for alone.
 */
export const managedPostgresql = (places: PostgresqlPlaces, log: Log): PostgresqlServer => {
  const place: PostgresqlPlace = {
    directory: places.socketDirectory,
    port: places.port,
    administrator: ADMINISTRATOR,
    connectAs: null,
  }
  const server = managedServer(
    {
      name: 'PostgreSQL',
      logName: 'postgresql.log',
      // Fast shutdown; SIGTERM would wait for every client to leave.
      stopSignal: 'SIGINT',
      install: () => installPostgresql(places, log),
      adopt: () => adoptPostgresql(places),
      spawn: () => spawnPostgresql(places, log),
      answers: () => answers(place),
      unreachable,
      ...(places.runAs && {
        opened: () => openDefaultSocket(POSTGRESQL_DEFAULT, socketOf(places), log),
        closed: () => closeDefaultSocket(POSTGRESQL_DEFAULT, socketOf(places)),
      }),
    },
    log,
  )
  return {
    ...server,
    place,
    host: places.socketDirectory,
    isPrivate: true,
    isMade: () => existsSync(places.dataDir),
    programs: () => findPostgresql(places.dataDir),
    listener: places.listener,
    rules: hostRules(places),
    // Few hosts need it: it is started with the agent only where it was used before.
    start: () => {
      if (existsSync(places.dataDir)) server.start()
    },
  }
}
