import type { DatabaseRights } from '#handlers/ports/host/databases/database-users.ts'
import { conflict } from '#handlers/errors.ts'
import { losesRights } from '../users/further-users.ts'
import type { FurtherUsers, ServedGrant } from '../users/further-users.ts'
import { makersObjects } from './makers-objects.ts'
import type { MariadbSession } from './session.ts'
import { dropRemote, hostsOf } from './remote-users.ts'
import {
  createUserStatement,
  grantPattern,
  localUser,
  quoteName,
  userAnywhere,
  userAt,
} from './statements.ts'

/**
 * No EXECUTE for readers: a routine runs with the rights of who made it. What names its
 * maker (views, routines, triggers, events) is for the database's own user alone.
 */
const READ = ['SELECT', 'SHOW VIEW']
const WRITE = ['INSERT', 'UPDATE', 'DELETE', 'LOCK TABLES', 'EXECUTE']
const TABLES = ['CREATE', 'DROP', 'REFERENCES', 'INDEX', 'ALTER', 'CREATE TEMPORARY TABLES']
const EVERY = [...READ, ...WRITE, ...TABLES]

const PRIVILEGES: Readonly<Record<DatabaseRights, readonly string[]>> = {
  read: READ,
  write: [...READ, ...WRITE],
  all: EVERY,
}

/** A user as he comes from a host. */
interface UserAt {
  user: string
  host: string
}

/** Patterns of the databases in which the server gives a user rights, as it keeps them. */
const patternsOf = async ({ run }: MariadbSession, { user, host }: UserAt): Promise<string[]> => {
  const rows = await run('SELECT db FROM mysql.db WHERE user = ? AND host = ?', [user, host])
  return rows.map((row) => String(row['db']))
}

/** Statements that make the rights of a user that is there exactly `wanted`, one by one so that running work sees no gap. */
export const grantStatements = async (
  open: MariadbSession,
  at: UserAt,
  wanted: readonly ServedGrant[],
): Promise<string[]> => {
  const who = userAt(at.user, at.host)
  const statements: string[] = []
  for (const { database, rights } of wanted) {
    const on = `ON ${grantPattern(database)}.*`
    const given = PRIVILEGES[rights]
    const taken = EVERY.filter((one) => !given.includes(one))
    statements.push(`GRANT ${given.join(', ')} ${on} TO ${who}`)
    if (taken.length > 0) statements.push(`REVOKE ${taken.join(', ')} ${on} FROM ${who}`)
  }
  const kept = wanted.map(({ database }) => grantPattern(database))
  for (const pattern of (await patternsOf(open, at)).map(quoteName))
    if (!kept.includes(pattern))
      statements.push(`REVOKE ALL PRIVILEGES ON ${pattern}.* FROM ${who}`)
  return statements
}

const isThere = async ({ run }: MariadbSession, user: string): Promise<boolean> =>
  (await run('SELECT 1 FROM mysql.global_priv WHERE user = ?', [user])).length > 0

/** Further users of MariaDB: rights in databases, given and taken one by one so that running work sees no gap. */
export const mariadbFurtherUsers = (
  session: <T>(work: (session: MariadbSession) => Promise<T>) => Promise<T>,
): FurtherUsers => {
  // Rights of the database in use are kept by each connection until it chooses one anew.
  const disconnect = ({ run }: MariadbSession, user: string) =>
    run(`KILL CONNECTION USER ${userAnywhere(user)}`)
  return {
    exists: (user) => session((open) => isThere(open, user)),
    create: (user, password) =>
      session(async ({ run }) => {
        await run(createUserStatement(user, password))
      }),
    setGrants: (user, wanted, former) =>
      session(async (open) => {
        for (const host of ['localhost', ...(await hostsOf(open, user))])
          for (const statement of await grantStatements(open, { user, host }, wanted))
            await open.run(statement)
        if (losesRights(wanted, former)) await disconnect(open, user)
      }),
    rename: (from, to, owned) =>
      session(async (open) => {
        await dropRemote(open, from)
        if (await isThere(open, from)) {
          const made = owned === null ? [] : await makersObjects(open, owned, from)
          if (made.length > 0)
            throw conflict(
              `The database user ${from} cannot be renamed: MariaDB keeps the name as that of who made ${made.join(', ')}. Remove these and make them again afterwards, or keep the name.`,
            )
          await open.run(`RENAME USER ${localUser(from)} TO ${localUser(to)}`)
        }
        await disconnect(open, from)
      }),
    drop: (user) =>
      session(async (open) => {
        await dropRemote(open, user)
        await open.run(`DROP USER IF EXISTS ${localUser(user)}`)
        await disconnect(open, user)
      }),
  }
}
