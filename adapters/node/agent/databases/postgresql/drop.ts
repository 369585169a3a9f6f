import { PostgresqlError, withPostgresql } from './session.ts'
import type { PostgresqlPlace, PostgresqlSession } from './session.ts'
import { quoteIdentifier } from './statements.ts'

const DEPENDENT_OBJECTS = '2BP01'
const LOCK_NOT_AVAILABLE = '55P03'
/** How often a database that holds on to a role is asked before it counts as a fault. */
const ATTEMPTS = 3

/** Ends connections and waits for it; open ones survive a closed login. */
export const disconnectRole = async ({ run }: PostgresqlSession, user: string): Promise<void> => {
  // One that was just let in may not have been listed.
  for (let left = ATTEMPTS; left > 0; left -= 1) {
    const ended = await run(
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1',
      [user],
    )
    if (ended.length === 0) return
  }
}

/** Lets a role in no more, and ends its connections. */
export const closeLogin = async (session: PostgresqlSession, user: string): Promise<void> => {
  await session.run(`ALTER ROLE ${quoteIdentifier(user)} NOLOGIN`)
  await disconnectRole(session, user)
}

/** Databases in which the role has rights; the server's own stands for rights on databases. */
const databasesWithRights = async ({ run }: PostgresqlSession, user: string): Promise<string[]> => {
  const rows = await run(
    `SELECT DISTINCT coalesce(d.datname, current_database()) AS name
     FROM pg_shdepend s JOIN pg_authid r ON r.oid = s.refobjid AND s.refclassid = 'pg_authid'::regclass
     LEFT JOIN pg_database d ON d.oid = s.dbid
     WHERE r.rolname = $1 AND (s.dbid = 0 OR d.datallowconn)`,
    [user],
  )
  return rows.map((row) => String(row['name']))
}

const takeRights = async (
  place: PostgresqlPlace,
  database: string,
  user: string,
): Promise<void> => {
  await withPostgresql(place, database, async ({ run }) => {
    await run('SET lock_timeout = 2000')
    for (let attempt = 1; ; attempt += 1) {
      try {
        await run(`DROP OWNED BY ${quoteIdentifier(user)}`)
        return
      } catch (error) {
        const locked = error instanceof PostgresqlError && error.code === LOCK_NOT_AVAILABLE
        if (!locked || attempt >= ATTEMPTS) throw error
        await run(
          `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
      }
    }
  })
}

/** Closes the login for good, ends its connections, and drops the role. */
export const removeRole = async (
  place: PostgresqlPlace,
  session: PostgresqlSession,
  user: string,
): Promise<void> => {
  await closeLogin(session, user)
  await dropRole(place, session, user)
}

/**
 * DROP ROLE, also when the tenant of another database granted it something there, which
 * the server would keep it for. What is taken from the role there is only what it has.
 */
export const dropRole = async (
  place: PostgresqlPlace,
  session: PostgresqlSession,
  user: string,
): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.run(`DROP ROLE IF EXISTS ${quoteIdentifier(user)}`)
      return
    } catch (error) {
      const kept = error instanceof PostgresqlError && error.code === DEPENDENT_OBJECTS
      if (!kept || attempt > ATTEMPTS) throw error
      for (const database of await databasesWithRights(session, user))
        await takeRights(place, database, user)
    }
  }
}
