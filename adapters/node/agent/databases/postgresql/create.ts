import { unavailable } from '#handlers/errors.ts'
import type { PostgresqlServer } from './server.ts'
import { withPostgresql } from './session.ts'
import type { PostgresqlSession } from './session.ts'
import {
  createDatabaseStatement,
  insideStatements,
  OPEN_TO_ALL,
  openStatements,
  quoteIdentifier,
  roleStatements,
} from './statements.ts'

/** Databases of the server itself, empty unless someone uses them for what they are not meant for. */
const OWN = ['postgres', 'template1']

/**
 * Every role may connect to a database until PUBLIC loses that right. On a server of
 * ours all are closed; on another's only those that every server has, and what else is
 * open there is for its administrator to close.
 */
export const closeToPublic = async (
  { run }: PostgresqlSession,
  isPrivate: boolean,
): Promise<void> => {
  const open = (await run(OPEN_TO_ALL)).map((row) => String(row['name']))
  const foreign = isPrivate ? [] : open.filter((name) => !OWN.includes(name))
  if (foreign.length > 0)
    throw unavailable(
      `Every user of the PostgreSQL server could connect to the database ${foreign[0]}. Run "REVOKE CONNECT ON DATABASE ${quoteIdentifier(
        foreign[0] ?? '',
      )} FROM PUBLIC" as its administrator (and grant it to those who need it), then try again.`,
    )
  for (const name of open)
    await run(`REVOKE CONNECT, TEMPORARY ON DATABASE ${quoteIdentifier(name)} FROM PUBLIC`)
}

/** Whether a database or a role of that name is there. */
export const isThere = async (
  { run }: PostgresqlSession,
  kind: 'database' | 'role',
  name: string,
): Promise<boolean> => {
  const query =
    kind === 'database'
      ? 'SELECT FROM pg_database WHERE datname = $1'
      : 'SELECT FROM pg_roles WHERE rolname = $1'
  return (await run(query, [name])).length > 0
}

/** Creates a database for a role that is there, or repairs one that was half made. */
export const createDatabase = async (
  server: PostgresqlServer,
  session: PostgresqlSession,
  database: string,
  user: string,
): Promise<void> => {
  if (!(await isThere(session, 'database', database)))
    await session.run(createDatabaseStatement(database))
  await withPostgresql(server.place, database, async ({ run }) => {
    for (const statement of insideStatements(user)) await run(statement)
  })
  for (const statement of openStatements(database, user)) await session.run(statement)
}

/** Creates a role with this verifier and its database. */
export const createRoleAndDatabase = async (
  server: PostgresqlServer,
  session: PostgresqlSession,
  names: { database: string; user: string; verifier: string },
): Promise<void> => {
  const { database, user, verifier } = names
  await closeToPublic(session, server.isPrivate)
  if (!(await isThere(session, 'role', user)))
    await session.run(`CREATE ROLE ${quoteIdentifier(user)} NOLOGIN`)
  for (const statement of roleStatements(user, verifier)) await session.run(statement)
  await createDatabase(server, session, database, user)
}
