import { access, constants } from 'node:fs/promises'
import { unavailable } from '#handlers/errors.ts'
import { runCommand } from '../../../process/run-command.ts'
import type { Engine } from '../engine.ts'
import type { MariadbServer } from './server.ts'
import { MariadbError, withMariadb } from './session.ts'
import type { MariadbSession } from './session.ts'
import {
  createStatements,
  hashStatement,
  localUser,
  nativePasswordHash,
  passwordStatement,
  quoteName,
  shareStatement,
  userAnywhere,
} from './statements.ts'
import { dropSchema } from '../drop-schema.ts'
import { mariadbFurtherUsers } from './further-users.ts'
import { MARIADB_DUMP_END, dumpMariadb } from './dump.ts'
import { lendMariadb, takeBackMariadb } from './lend.ts'
import { mariadbRemote } from './remote.ts'
import { dropRemote, setRemoteHash } from './remote-users.ts'
import { restoreMariadb } from './restore.ts'
import { mariadbRunning } from './running.ts'
import { mariadbHealth } from './health.ts'
import { storedHash } from './stored-hash.ts'

/** How long an operation waits for a server that is starting. */
const READY_LIMIT_MS = 30_000
/** How long a question about the server does. */
const INFO_LIMIT_MS = 3_000

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

/** MariaDB over `server`; `binary` tells whether and in which version it is installed. */
export const createMariadbEngine = (server: MariadbServer, binary: string): Engine => {
  const session = async <T>(work: (session: MariadbSession) => Promise<T>): Promise<T> => {
    try {
      return await withMariadb(server.socket, work)
    } catch (error) {
      if (error instanceof MariadbError && error.isUnreachable)
        throw unavailable('The MariaDB server is not reachable. Try again in a moment.', error)
      throw error
    }
  }

  /** Open connections survive DROP USER and ACCOUNT LOCK. */
  const disconnect = async ({ run }: MariadbSession, user: string): Promise<void> => {
    await run(`KILL CONNECTION USER ${userAnywhere(user)}`)
  }

  return {
    name: 'mariadb',
    host: 'localhost',
    async info() {
      if (!(await isExecutable(binary))) return null
      await server.whenReady(INFO_LIMIT_MS).catch(() => undefined)
      const { stdout } = await runCommand(binary, ['--no-defaults', '--version'])
      const version = /Ver (\d[\d.]*)/.exec(stdout)?.[1] ?? 'unknown'
      return { version, running: await server.isRunning() }
    },
    health: async (databases) =>
      (await isExecutable(binary)) ? session((open) => mariadbHealth(open, databases)) : null,
    async whenReady() {
      if (!(await isExecutable(binary)))
        throw unavailable(
          'MariaDB is not installed on this server. Install the package mariadb-server and try again.',
        )
      await server.whenReady(READY_LIMIT_MS)
    },
    exists: (database, user) =>
      session(async ({ run }) => {
        const schemas = await run(
          'SELECT 1 FROM information_schema.schemata WHERE schema_name = ?',
          [database],
        )
        const users = await run('SELECT 1 FROM mysql.global_priv WHERE user = ?', [user])
        return schemas.length > 0 || users.length > 0
      }),
    create: (database, user, password) =>
      session(async ({ run }) => {
        const [links] = await run('SELECT @@have_symlink AS state')
        if (String(links?.['state']) === 'YES')
          throw unavailable(
            'The MariaDB server allows DATA DIRECTORY, through which one account could destroy the tables of another. Set "skip-symbolic-links" in its [mysqld] section, restart it and try again.',
          )
        for (const statement of createStatements(database, user, password)) await run(statement)
      }),
    setPassword: (user, password) =>
      session(async (open) => {
        await open.run(passwordStatement(user, password))
        await setRemoteHash(open, user, nativePasswordHash(password))
      }),
    passwordHash: (user) => session((open) => storedHash(open, user)),
    async setPasswordHash(user, hash) {
      const statement = hashStatement(user, hash)
      await session(async (open) => {
        await open.run(statement)
        await setRemoteHash(open, user, hash)
      })
    },
    drop: (database, user) =>
      session(async (open) => {
        await dropRemote(open, user)
        await open.run(`DROP USER IF EXISTS ${localUser(user)}`)
        await disconnect(open, user)
        await dropSchema(open, database)
      }),
    setLocked: (user, locked) =>
      session(async (open) => {
        const state = locked ? 'LOCK' : 'UNLOCK'
        await open.run(`ALTER USER IF EXISTS ${localUser(user)} ACCOUNT ${state}`)
        // Whoever is opened again is let in from elsewhere anew.
        if (locked) await dropRemote(open, user)
        if (locked) await disconnect(open, user)
      }),
    running: (overMs) => session((open) => mariadbRunning(open, overMs)),
    users: mariadbFurtherUsers(session),
    remote: mariadbRemote(session, server),
    shareConnections: (users) =>
      session(async ({ run }) => {
        for (const user of users) await run(shareStatement(user, users.length))
      }),
    count: (database) =>
      session(async ({ run }) => {
        const names = await run(
          `SELECT table_name AS name FROM information_schema.tables
           WHERE table_schema = ? AND table_type = 'BASE TABLE'`,
          [database],
        )
        let rows = 0
        for (const { name } of names) {
          const table = `${quoteName(database)}.${quoteName(String(name))}`
          const [row] = await run(`SELECT COUNT(*) AS count FROM ${table}`)
          rows += Number(row?.['count'])
        }
        return { tables: names.length, rows }
      }),
    sizes: (databases) =>
      session(async ({ run }) => {
        const rows = await run(
          `SELECT s.schema_name AS name, COUNT(t.table_name) AS tables,
             COALESCE(SUM(t.data_length + t.index_length), 0) AS size
           FROM information_schema.schemata s
           LEFT JOIN information_schema.tables t ON t.table_schema = s.schema_name
           WHERE s.schema_name IN (?) GROUP BY s.schema_name`,
          [databases],
        )
        return new Map(
          rows.map((row) => [
            String(row['name']),
            { sizeBytes: Number(row['size']), tables: Number(row['tables']) },
          ]),
        )
      }),
    dump: (database) => dumpMariadb(server.socket, database),
    dumpEnd: MARIADB_DUMP_END,
    restore: (target, dump) => session((open) => restoreMariadb(open, server.socket, target, dump)),
    lend: (_database, user) => session((open) => lendMariadb(open, server.socket, user)),
    takeBack: (_database, user) => session((open) => takeBackMariadb(open, user)),
    start: () => server.start(),
    stop: () => server.stop(),
  }
}
