import type { Log } from '#handlers/ports/log.ts'
import { closeDefaultSocket, MARIADB_DEFAULT, openDefaultSocket } from '../default-socket.ts'
import { managedServer, systemServer } from '../managed-server.ts'
import type { RemoteListener } from '../remote/server-certificate.ts'
import { adoptMariadb, installMariadb, spawnMariadb } from './process.ts'
import type { MariadbPlaces } from './process.ts'
import { withMariadb } from './session.ts'
import type { DatabaseServer } from '../server.ts'

/** A server with the place where it answers. */
export interface MariadbServer extends DatabaseServer {
  socket: string
  /** How it listens for other machines; null: it does not. */
  listener: RemoteListener | null
}

const answers = (socket: string): Promise<boolean> =>
  withMariadb(socket, (session) => session.run('SELECT 1')).then(
    () => true,
    () => false,
  )

const unreachable =
  'The MariaDB server does not answer. Look into its log, or set [databases] mariadb to the server that should be used.'

/** A server that someone else runs, e.g. systemd. */
export const systemMariadb = (socket: string): MariadbServer => ({
  socket,
  listener: null,
  ...systemServer({ answers: () => answers(socket), unreachable }),
})

/** Our private server; one of the whole machine is what `localhost` means by default too. */
export const managedMariadb = (places: MariadbPlaces, log: Log): MariadbServer => ({
  socket: places.socket,
  listener: places.listener,
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
