import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { conflict, notFound } from '#handlers/errors.ts'
import { asUser } from '../../../process/as-user.ts'
import { CommandError } from '../../../process/run-command.ts'
import { feed, outputOf } from '../../../process/stream-command.ts'
import type { RestoreTarget } from '../engine.ts'
import { grantInNewDatabase } from './further-users.ts'
import { createDatabase, isThere } from './create.ts'
import { asPassingRole, PASSING_ROLE } from './passing-role.ts'
import type { Administrate } from './passing-role.ts'
import { removeRole } from './drop.ts'
import type { PostgresqlServer } from './server.ts'
import type { PostgresqlPlace, PostgresqlSession } from './session.ts'
import { quoteIdentifier } from './statements.ts'
import { RESTORE_TIMES } from '../restore-times.ts'

/** `pg_dump` writes it when everything before went well. */
export const POSTGRESQL_DUMP_END = /^-- PostgreSQL database dump complete/m

const restoring = (database: string): string => `restoring:${database}`

/** Whom the administrator gave the database to; nobody else can change that. */
const userOf = async ({ run }: PostgresqlSession, database: string): Promise<string> => {
  const [row] = await run(
    `SELECT r.rolname AS name FROM pg_database d, aclexplode(d.datacl) a
     JOIN pg_roles r ON r.oid = a.grantee
     WHERE d.datname = $1 AND a.privilege_type = 'CREATE' AND a.grantee <> d.datdba`,
    [database],
  )
  if (!row) throw notFound(`The PostgreSQL server has no database ${database} of an account.`)
  return String(row['name'])
}

/** The database in the rights of its own user: nothing in it can act on the server while it is read. */
export const dumpPostgresql = (
  server: PostgresqlServer,
  administrate: Administrate,
  database: string,
): Readable => {
  const out = new PassThrough()
  const work = async (): Promise<void> => {
    const user = await administrate((session) => userOf(session, database))
    await asPassingRole(server, administrate, { database, user }, async ({ env }) => {
      const { program, args } = asUser(
        process.getuid?.() === 0 ? { uid: 65534, gid: 65534, groups: 'none' } : null,
        `${server.programs() ?? ''}/pg_dump`,
        [
          '--no-owner',
          '--no-privileges',
          '--no-password',
          '--encoding=UTF8',
          // A tenant's own lock must not hold up the backups of others.
          '--lock-wait-timeout=60s',
          `--dbname=${database}`,
        ],
        { dieWithParent: true },
      )
      await pipeline(outputOf(program, args, { env }), out, { end: false })
    })
    out.end()
  }
  work().catch((error: unknown) => {
    out.destroy(error instanceof Error ? error : new Error(String(error)))
  })
  return out
}

/** What the client says of the statement that was refused: `psql:<stdin>:3: ERROR:  …`. */
const refusal = (error: unknown, database: string): unknown => {
  if (!(error instanceof CommandError)) return error
  const said = /(ERROR|FATAL): +[^\n]*/.exec(error.stderr)?.[0] ?? 'the dump could not be read'
  return conflict(`The dump of ${database} was refused by the server: ${said.slice(0, 300)}`)
}

/** The new database counts once the old one is gone. */
const settleRestore = async (session: PostgresqlSession, database: string): Promise<void> => {
  const made = quoteIdentifier(restoring(database))
  if (!(await isThere(session, 'database', restoring(database)))) return
  if (await isThere(session, 'database', database))
    await session.run(`DROP DATABASE IF EXISTS ${made} WITH (FORCE)`)
  else await session.run(`ALTER DATABASE ${made} RENAME TO ${quoteIdentifier(database)}`)
}

/** Settles what dumps and restores that were broken off left. */
export const settleRestores = async (
  place: PostgresqlPlace,
  session: PostgresqlSession,
): Promise<void> => {
  const roles = await session.run(
    'SELECT rolname AS name FROM pg_roles WHERE starts_with(rolname, $1)',
    [PASSING_ROLE],
  )
  for (const row of roles) await removeRole(place, session, String(row['name']))
  const databases = await session.run(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)',
    [restoring('')],
  )
  for (const row of databases)
    await settleRestore(session, String(row['name']).slice(restoring('').length))
}

/**
 * Runs a dump in a new database, with the rights of the user it belongs to, and puts it in
 * the place of the old one: a dump that is refused changes nothing. The client runs as the
 * account, for it knows commands of its own (`\!`, `\i`, `\copy`).
 */
export const restorePostgresql = async (
  server: PostgresqlServer,
  administrate: Administrate,
  target: RestoreTarget,
  dump: Readable,
): Promise<void> => {
  const { database, user, runAs, further = [] } = target
  const fresh = restoring(database)
  try {
    await administrate(async (session) => {
      await settleRestore(session, database)
      await createDatabase(server, session, fresh, user)
    })
    await asPassingRole(server, administrate, { database: fresh, user }, async ({ env }) => {
      const { program, args } = asUser(
        runAs,
        `${server.programs() ?? ''}/psql`,
        ['--no-psqlrc', '--quiet', '--no-password', '--set=ON_ERROR_STOP=1', `--dbname=${fresh}`],
        { dieWithParent: true, limited: true },
      )
      await feed(program, args, dump, { ...RESTORE_TIMES, env })
    })
    await administrate(async (session) => {
      // Before it has its name: from then on they find it as they left it.
      for (const { user: other, grants } of further)
        for (const grant of grants)
          if (grant.database === database)
            await grantInNewDatabase(server, session, fresh, other, grant)
      const { run } = session
      await run(`DROP DATABASE IF EXISTS ${quoteIdentifier(database)} WITH (FORCE)`)
      await run(`ALTER DATABASE ${quoteIdentifier(fresh)} RENAME TO ${quoteIdentifier(database)}`)
    })
  } catch (error) {
    await administrate((session) => settleRestore(session, database)).catch(() => undefined)
    throw refusal(error, database)
  } finally {
    dump.destroy()
  }
}
