import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { conflict, unavailable } from '#handlers/errors.ts'
import { asUser } from '../../../process/as-user.ts'
import { CommandError } from '../../../process/run-command.ts'
import { feed } from '../../../process/stream-command.ts'
import type { RestoreTarget } from '../engine.ts'
import { dropSchema } from '../drop-schema.ts'
import type { MariadbSession } from './session.ts'
import { localUser, nativePasswordHash, quoteName, userAnywhere } from './statements.ts'
import { storedHash } from './stored-hash.ts'
import { RESTORE_TIMES } from '../restore-times.ts'

const MARIADB = '/usr/bin/mariadb'

/** The hash of the user's own password. */
const ownHash = async (session: MariadbSession, user: string): Promise<string> => {
  const hash = await storedHash(session, user)
  if (hash === null)
    throw unavailable(`The database user ${user} has no password that it could be restored with.`)
  return hash
}

/** What the client says of the statement that was refused: `ERROR 1044 (42000) at line 3: …`. */
const refusal = (error: unknown, database: string): unknown => {
  if (!(error instanceof CommandError)) return error
  const said = /ERROR \d+ [^\n]*/.exec(error.stderr)?.[0] ?? 'the dump could not be read'
  return conflict(`The dump of ${database} was refused by the server: ${said.slice(0, 300)}`)
}

/**
 * Empties the database and runs the dump as its own user, who is given a second
 * password for as long as that takes: the first stays in force for the site, and
 * DEFINER clauses that name this user are in order. Any other definer, database or
 * grant is refused by the server, since the user may do nothing there. The client
 * runs as the account too, for it knows commands of its own (`\!`, `source`).
 */
export const restoreMariadb = async (
  session: MariadbSession,
  socket: string,
  target: RestoreTarget,
  dump: Readable,
): Promise<void> => {
  const { database, user, runAs, locked = false } = target
  const hash = await ownHash(session, user)
  const once = randomBytes(24).toString('base64url')
  const only = `ALTER USER ${localUser(user)} IDENTIFIED VIA mysql_native_password USING '${hash}'`
  await session.run(`KILL CONNECTION USER ${userAnywhere(user)}`)
  await dropSchema(session, database)
  await session.run(
    `CREATE DATABASE ${quoteName(database)} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`,
  )
  try {
    const both = `${only} OR mysql_native_password USING '${nativePasswordHash(once)}'`
    await session.run(locked ? `${both} ACCOUNT UNLOCK` : both)
    const { program, args } = asUser(
      runAs,
      MARIADB,
      [
        '--no-defaults',
        '--sandbox',
        '--batch',
        '--skip-reconnect',
        '--local-infile=0',
        // An index over a large table may take longer than a site's statement.
        '--init-command=SET max_statement_time = 0',
        '--default-character-set=utf8mb4',
        '--max-allowed-packet=1G',
        `--socket=${socket}`,
        `--user=${user}`,
        '--',
        database,
      ],
      { dieWithParent: true, limited: true },
    )
    await feed(program, args, dump, { ...RESTORE_TIMES, env: { MYSQL_PWD: once } })
  } catch (error) {
    throw refusal(error, database)
  } finally {
    dump.destroy()
    await session.run(locked ? `${only} ACCOUNT LOCK` : only)
  }
}
