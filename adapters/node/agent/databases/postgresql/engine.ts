import { invalid, unavailable } from '#handlers/errors.ts'
import { runCommand } from '../../../process/run-command.ts'
import type { Engine } from '../engine.ts'
import { createRoleAndDatabase, isThere } from './create.ts'
import { closeLogin, dropRole } from './drop.ts'
import { postgresqlRunning } from './running.ts'
import { postgresqlHealth } from './health.ts'
import { POSTGRESQL_DUMP_END, dumpPostgresql, restorePostgresql, settleRestores } from './dump.ts'
import { postgresqlFurtherUsers } from './further-users.ts'
import { lendPostgresql, takeBackPostgresql } from './passing-role.ts'
import { plainPostgresqlDump } from './plain-dump.ts'
import { postgresqlRemote } from './remote.ts'
import type { PostgresqlServer } from './server.ts'
import { MAINTENANCE, PostgresqlError, withPostgresql } from './session.ts'
import type { PostgresqlSession } from './session.ts'
import { countRows, postgresqlSizes } from './sizes.ts'
import { passwordStatement, quoteIdentifier, shareStatement } from './statements.ts'
import { isScramVerifier, scramVerifier } from './scram-verifier.ts'

/** How long an operation waits for a server that is starting. */
const READY_LIMIT_MS = 30_000
/** How long a question about the server does. */
const INFO_LIMIT_MS = 3_000
/** The first question of all, which has the server made. */
const FIRST_INFO_LIMIT_MS = 20_000

/** PostgreSQL over `server`. Each user is a role that can connect to its own database only. */
export const createPostgresqlEngine = (server: PostgresqlServer): Engine => {
  let settling: Promise<void> | null = null

  const session = async <T>(work: (session: PostgresqlSession) => Promise<T>): Promise<T> => {
    try {
      return await withPostgresql(server.place, MAINTENANCE, work)
    } catch (error) {
      if (error instanceof PostgresqlError && error.isUnreachable)
        throw unavailable('The PostgreSQL server is not reachable. Try again in a moment.', error)
      throw error
    }
  }

  const whenReady = async (): Promise<void> => {
    if (server.programs() === null)
      throw unavailable(
        'PostgreSQL is not installed on this server. Install the package postgresql and try again.',
      )
    await server.whenReady(READY_LIMIT_MS)
    // Once, and before the first restore of our own.
    settling ??= session((open) => settleRestores(server.place, open)).catch((error: unknown) => {
      settling = null
      throw error
    })
    await settling
  }

  const administrate: typeof session = async (work) => {
    await whenReady()
    return session(work)
  }

  return {
    name: 'postgresql',
    host: server.host,
    async info() {
      const programs = server.programs()
      if (programs === null) return null
      await server
        .whenReady(server.isMade() ? INFO_LIMIT_MS : FIRST_INFO_LIMIT_MS)
        .catch(() => undefined)
      const { stdout } = await runCommand(`${programs}/postgres`, ['--version'])
      const version = /(\d+(\.\d+)*)/.exec(stdout)?.[1] ?? 'unknown'
      return { version, running: await server.isRunning() }
    },
    health: async () =>
      server.programs() === null || !server.isMade() ? null : session(postgresqlHealth),
    whenReady,
    exists: (database, user) =>
      session(
        async (open) =>
          (await isThere(open, 'database', database)) || (await isThere(open, 'role', user)),
      ),
    async create(database, user, password) {
      const verifier = scramVerifier(password)
      await session((open) => createRoleAndDatabase(server, open, { database, user, verifier }))
    },
    async setPassword(user, password) {
      const statement = passwordStatement(user, scramVerifier(password))
      await session(({ run }) => run(statement))
    },
    passwordHash: (user) =>
      session(async ({ run }) => {
        const [row] = await run('SELECT rolpassword AS hash FROM pg_authid WHERE rolname = $1', [
          user,
        ])
        const hash = String(row?.['hash'] ?? '')
        return isScramVerifier(hash) ? hash : null
      }),
    async setPasswordHash(user, hash) {
      if (!isScramVerifier(hash))
        throw invalid('password_hash', 'This is no password verifier of PostgreSQL.')
      await session(({ run }) => run(passwordStatement(user, hash)))
    },
    drop: (database, user) =>
      session(async (open) => {
        if (await isThere(open, 'role', user)) await closeLogin(open, user)
        await open.run(`DROP DATABASE IF EXISTS ${quoteIdentifier(database)} WITH (FORCE)`)
        await dropRole(server.place, open, user)
      }),
    setLocked: (user, locked) =>
      session(async (open) => {
        if (!(await isThere(open, 'role', user))) return
        if (locked) await closeLogin(open, user)
        else await open.run(`ALTER ROLE ${quoteIdentifier(user)} LOGIN`)
      }),
    running: async (overMs) =>
      server.programs() === null || !server.isMade()
        ? []
        : session((open) => postgresqlRunning(open, overMs)),
    users: postgresqlFurtherUsers(server, session),
    remote: postgresqlRemote(server),
    shareConnections: (users) =>
      session(async ({ run }) => {
        for (const user of users) await run(shareStatement(user, users.length))
      }),
    count: (database, user) => countRows(server.place, database, user),
    sizes: (databases) => session((open) => postgresqlSizes(server.place, open, databases)),
    dump: (database) => dumpPostgresql(server, administrate, database),
    plainDump: (dump) => plainPostgresqlDump(server, dump),
    dumpEnd: POSTGRESQL_DUMP_END,
    restore: (target, dump) => restorePostgresql(server, administrate, target, dump),
    lend: (database, user) => lendPostgresql(server, administrate, { database, user }),
    takeBack: (_database, _user, lent) => takeBackPostgresql(server, administrate, lent),
    start: () => server.start(),
    stop: () => server.stop(),
  }
}
