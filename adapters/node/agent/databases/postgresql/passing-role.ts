import { randomBytes } from 'node:crypto'
import type { LentLogin } from '../engine.ts'
import { removeRole } from './drop.ts'
import type { PostgresqlServer } from './server.ts'
import type { PostgresqlSession } from './session.ts'
import { scramVerifier } from './scram-verifier.ts'
import { quoteIdentifier, quoteVerifier } from './statements.ts'

/** No name of a tenant holds a colon. */
export const PASSING_ROLE = 'passing:'

/** Runs statements as the server's administrator. */
export type Administrate = <T>(work: (session: PostgresqlSession) => Promise<T>) => Promise<T>

/**
 * A role that can log in and do what `user` can: the user's password stays, and a locked
 * user is served too. Its session never was an administrator's, so there is nothing to
 * return to; what it makes belongs to the user.
 */
const makePassingRole = async (
  administrate: Administrate,
  { database, user, timeout }: { database: string; user: string; timeout: '0' | '10min' },
): Promise<{ name: string; password: string }> => {
  const name = `${PASSING_ROLE}${randomBytes(9).toString('base64url')}`
  const role = quoteIdentifier(name)
  const member = quoteIdentifier(user)
  const password = randomBytes(24).toString('base64url')
  await administrate(async ({ run }) => {
    await run(
      `CREATE ROLE ${role} LOGIN NOINHERIT CONNECTION LIMIT 3 IN ROLE ${member} PASSWORD ${quoteVerifier(
        scramVerifier(password),
      )}`,
    )
    // Asked for before it turns into the user.
    await run(`GRANT CONNECT ON DATABASE ${quoteIdentifier(database)} TO ${role}`)
    await run(`ALTER ROLE ${role} SET role = ${member}`)
    await run(`ALTER ROLE ${role} SET temp_file_limit = '1GB'`)
    await run(`ALTER ROLE ${role} SET statement_timeout = '${timeout}'`)
  })
  return { name, password }
}

/** Runs `work` with the login of a passing role, which is dropped after it. */
export const asPassingRole = async <T>(
  server: PostgresqlServer,
  administrate: Administrate,
  target: { database: string; user: string },
  work: (login: { env: Record<string, string> }) => Promise<T>,
): Promise<T> => {
  const { name, password } = await makePassingRole(administrate, { ...target, timeout: '0' })
  try {
    const { host, place } = server
    return await work({
      env: {
        PGHOST: host,
        PGPORT: String(place.port),
        PGUSER: name,
        PGPASSWORD: password,
        PGPASSFILE: '/dev/null',
        PGSSLMODE: 'prefer',
        PGCLIENTENCODING: 'UTF8',
      },
    })
  } finally {
    await administrate((session) => removeRole(server.place, session, name))
  }
}

/** A passing role for as long as somebody works with it. */
export const lendPostgresql = async (
  server: PostgresqlServer,
  administrate: Administrate,
  target: { database: string; user: string },
): Promise<LentLogin> => {
  const { name, password } = await makePassingRole(administrate, { ...target, timeout: '10min' })
  return { user: name, password, server: `${server.host}:${server.place.port}` }
}

/** Ends its connections and drops it; anything but a passing role is left alone. */
export const takeBackPostgresql = async (
  server: PostgresqlServer,
  administrate: Administrate,
  lent: string,
): Promise<void> => {
  if (!lent.startsWith(PASSING_ROLE)) return
  await administrate(async (session) => {
    const there = await session.run('SELECT FROM pg_roles WHERE rolname = $1', [lent])
    if (there.length > 0) await removeRole(server.place, session, lent)
  })
}
