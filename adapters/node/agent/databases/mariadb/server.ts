import type { Log } from '#handlers/ports/log.ts'
import { closeDefaultSocket, MARIADB_DEFAULT, openDefaultSocket } from '../default-socket.ts'
import { managedServer, systemServer } from '../managed-server.ts'
import type { RemoteListener } from '../remote/server-certificate.ts'
import { adoptMariadb, installMariadb, spawnMariadb } from './process.ts'
import type { MariadbPlaces } from './process.ts'
import { withMariadb } from './session.ts'
import { takeDropIn } from './system-drop-in.ts'
import type { SystemConfiguration } from '../../../system-mariadb/system-places.ts'
import type { DatabaseServer } from '../server.ts'

/** A server with the place where it answers. */
export interface MariadbServer extends DatabaseServer {
  socket: string
  /** How it listens for other machines; null: it does not. */
  listener: RemoteListener | null
  /** Why it could not be made to; null: nothing is known to be wrong. */
  problem(): string | null
}

const answers = (socket: string): Promise<boolean> =>
  withMariadb(socket, (session) => session.run('SELECT 1')).then(
    () => true,
    () => false,
  )

const unreachable =
  'The MariaDB server does not answer. Look into its log, or set [databases] mariadb to the server that should be used.'

/** A server that someone else runs, e.g. systemd. */
export const systemMariadb = (
  configuration: SystemConfiguration,
  listener: RemoteListener | null,
  log: Log,
): MariadbServer => {
  const { socket } = configuration
  const server = systemServer({ answers: () => answers(socket), unreachable })
  let problem: string | null = null
  let taken: Promise<void> | null = null
  /** Once: what is changed in the configuration of the server counts with its next start. */
  const take = (): Promise<void> =>
    (taken ??= takeDropIn(configuration, listener)
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then((why) => {
        problem = why
        if (why !== null) log.warn('MariaDB does not serve other machines as wanted', { why })
      }))
  return {
    ...server,
    socket,
    listener,
    problem: () => problem,
    start: () => void take(),
    async whenReady(timeoutMs) {
      await taken
      await server.whenReady(timeoutMs)
    },
  }
}

/** Our private server; one of the whole machine is what `localhost` means by default too. */
export const managedMariadb = (places: MariadbPlaces, log: Log): MariadbServer => ({
  socket: places.socket,
  listener: places.listener,
  problem: () => null,
  ...managedServer(
    {
      name: 'MariaDB',
      logName: 'mariadb.log',
      stopSignal: 'SIGTERM',
      install: () => installMariadb(places, log),
      adopt: () => adoptMariadb(places),
      spawn: () => spawnMariadb(places, log),
      answers: () => answers(places.socket),
      unreachable,
      ...(places.runAs && {
        opened: () => openDefaultSocket(MARIADB_DEFAULT, places.socket, log),
        closed: () => closeDefaultSocket(MARIADB_DEFAULT, places.socket),
      }),
    },
    log,
  ),
})
