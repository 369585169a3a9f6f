import type { DatabaseRights } from '#handlers/ports/host/databases/database-users.ts'
import { losesRights } from '../users/further-users.ts'
import type { FurtherUsers, ServedGrant } from '../users/further-users.ts'
import { isThere } from './create.ts'
import { disconnectRole, removeRole } from './drop.ts'
import type { PostgresqlServer } from './server.ts'
import { scramVerifier } from './scram-verifier.ts'
import { withPostgresql } from './session.ts'
import type { PostgresqlSession } from './session.ts'
import { quoteIdentifier, roleStatements } from './statements.ts'

/** Rights on tables and on sequences, which columns take their numbers from. */
const OBJECTS: Readonly<Record<Exclude<DatabaseRights, 'all'>, readonly [string, string]>> = {
  read: ['SELECT', 'SELECT'],
  write: ['SELECT, INSERT, UPDATE, DELETE', 'SELECT, USAGE'],
}

/** Everywhere but in the schemas of the server: a tenant may have some of its own. */
const SCHEMAS = `SELECT nspname AS name FROM pg_catalog.pg_namespace
  WHERE nspname <> 'information_schema' AND nspname !~ '^pg_'`

const grantInside = async (
  { run }: PostgresqlSession,
  user: string,
  { database, owner, rights }: ServedGrant,
): Promise<void> => {
  const role = quoteIdentifier(user)
  const name = quoteIdentifier(database)
  if (rights === 'all') {
    // Turns into the database's own user as it comes in, so what it makes belongs to him.
    await run(`GRANT ${quoteIdentifier(owner)} TO ${role}`)
    await run(`ALTER ROLE ${role} IN DATABASE ${name} SET role = ${quoteIdentifier(owner)}`)
    return
  }
  const [tables, sequences] = OBJECTS[rights]
  for (const row of await run(SCHEMAS)) {
    const schema = quoteIdentifier(String(row['name']))
    await run(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
    await run(`GRANT ${tables} ON ALL TABLES IN SCHEMA ${schema} TO ${role}`)
    await run(`GRANT ${sequences} ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`)
  }
  // What the database's own user makes later.
  const later = `ALTER DEFAULT PRIVILEGES FOR ROLE ${quoteIdentifier(owner)} GRANT`
  await run(`${later} USAGE ON SCHEMAS TO ${role}`)
  await run(`${later} ${tables} ON TABLES TO ${role}`)
  await run(`${later} ${sequences} ON SEQUENCES TO ${role}`)
}

/**
 * Makes the rights of a role in one database exactly `wanted` (null: none), as one transaction
 * in it. `served`: where else it may go; DROP OWNED takes it out of all databases.
 */
const changeInside = (
  server: PostgresqlServer,
  user: string,
  place: { database: string; owner: string },
  wanted: ServedGrant | null,
  served: readonly ServedGrant[],
): Promise<void> =>
  withPostgresql(server.place, place.database, async (open) => {
    const role = quoteIdentifier(user)
    const owner = quoteIdentifier(place.owner)
    await open.run('BEGIN')
    // It can own nothing; what it has in spite of that is not lost.
    await open.run(`REASSIGN OWNED BY ${role} TO ${owner}`)
    await open.run(`DROP OWNED BY ${role}`)
    await open.run(`REVOKE ${owner} FROM ${role}`)
    await open.run(`ALTER ROLE ${role} IN DATABASE ${quoteIdentifier(place.database)} RESET role`)
    for (const { database } of served)
      await open.run(`GRANT CONNECT ON DATABASE ${quoteIdentifier(database)} TO ${role}`)
    if (wanted !== null) await grantInside(open, user, wanted)
    await open.run('COMMIT')
  })

/** What a role may do in a database that was made anew, under whatever name it has meanwhile. */
export const grantInNewDatabase = (
  server: PostgresqlServer,
  session: PostgresqlSession,
  database: string,
  user: string,
  grant: ServedGrant,
): Promise<void> =>
  withPostgresql(server.place, database, async (open) => {
    if (!(await isThere(session, 'role', user))) return
    await open.run('BEGIN')
    await open.run(
      `GRANT CONNECT ON DATABASE ${quoteIdentifier(database)} TO ${quoteIdentifier(user)}`,
    )
    await grantInside(open, user, { ...grant, database })
    await open.run('COMMIT')
  })

/** Further users of PostgreSQL: roles that own nothing. */
export const postgresqlFurtherUsers = (
  server: PostgresqlServer,
  session: <T>(work: (session: PostgresqlSession) => Promise<T>) => Promise<T>,
): FurtherUsers => {
  const setGrants: FurtherUsers['setGrants'] = (user, wanted, former) =>
    session(async (open) => {
      const touched = new Map([...former, ...wanted].map((one) => [one.database, one]))
      for (const [database, place] of touched) {
        if (!(await isThere(open, 'database', database))) continue
        const own = wanted.find((one) => one.database === database) ?? null
        await changeInside(server, user, place, own, wanted)
      }
      if (losesRights(wanted, former)) await disconnectRole(open, user)
    })
  return {
    exists: (user) => session((open) => isThere(open, 'role', user)),
    setGrants,
    async create(user, password) {
      const verifier = scramVerifier(password)
      await session(async (open) => {
        if (!(await isThere(open, 'role', user)))
          await open.run(`CREATE ROLE ${quoteIdentifier(user)} NOLOGIN`)
        for (const statement of roleStatements(user, verifier)) await open.run(statement)
      })
    },
    rename: (from, to) =>
      session(async (open) => {
        if (await isThere(open, 'role', from))
          await open.run(`ALTER ROLE ${quoteIdentifier(from)} RENAME TO ${quoteIdentifier(to)}`)
        await disconnectRole(open, to)
      }),
    async drop(user, former) {
      const there = await session((open) => isThere(open, 'role', user))
      if (!there) return
      await setGrants(user, [], former)
      await session((open) => removeRole(server.place, open, user))
    },
  }
}
