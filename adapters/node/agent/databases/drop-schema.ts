import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { asUser } from '../../process/as-user.ts'
import { mustRun } from '../../process/run-command.ts'
import { MariadbError } from './mariadb/session.ts'
import type { MariadbSession } from './mariadb/session.ts'
import { quoteName } from './mariadb/statements.ts'

/** The tables are gone, but something that the server does not know lies in the directory. */
const LEFTOVERS = ['ER_DB_DROP_RMDIR', 'ER_DB_DROP_DELETE']

/** How long the statement waits for a lock; the account's connections have been ended before. */
const LOCK_WAIT_SECS = 3

const hex = (text: string): string => `X'${Buffer.from(text, 'latin1').toString('hex')}'`

/**
 * The name of a transaction as a statement may hold it. Tenants choose names: plain ones
 * come in quotes that nothing in them is protected from, so they are cut out by length.
 */
const xidOf = (row: Record<string, unknown>): string | null => {
  const data = String(row['data'])
  if (/^X'[0-9a-f]*'(,X'[0-9a-f]*'(,\d+)?)?$/i.test(data)) return data
  const first = Number(row['gtrid_length'])
  const second = Number(row['bqual_length'])
  const format = Number(row['formatID'])
  if (!/^'[ -~]+$/.test(data) || ![first, second, format].every(Number.isSafeInteger)) return null
  const rest = data.slice(1 + first + "','".length)
  return `${hex(data.slice(1, 1 + first))},${hex(rest.slice(0, second))},${format}`
}

/**
 * A prepared XA transaction keeps its locks after its connection ended, until someone
 * settles it by name. The server does not tell whose it is, and no web application leaves one
 * behind: all that have no connection any more are rolled back.
 */
const rollBackPrepared = async ({ run }: MariadbSession): Promise<void> => {
  for (const row of await run("XA RECOVER FORMAT='SQL'")) {
    const xid = xidOf(row)
    // One that still has its connection is refused.
    if (xid !== null) await run(`XA ROLLBACK ${xid}`).catch(() => undefined)
  }
}

const emptyDirectory = async ({ run }: MariadbSession, database: string): Promise<void> => {
  if (!/^[a-z0-9_]+$/.test(database)) throw new Error(`unexpected database name ${database}`)
  const [row] = await run('SELECT @@datadir AS directory')
  const directory = path.join(String(row?.['directory']), database)
  const { uid, gid } = await lstat(directory)
  const isRoot = process.getuid?.() === 0
  if (isRoot && uid === 0) throw new Error(`${directory} belongs to root; remove it by hand`)
  const { program, args } = asUser(isRoot ? { uid, gid, groups: 'none' } : null, '/usr/bin/find', [
    directory,
    '-mindepth',
    '1',
    '-delete',
  ])
  await mustRun(program, args)
}

/**
 * DROP DATABASE for a checked name (its directory bears the same). It fails where a
 * foreign file lies in the directory, which must not keep an account from being
 * deleted: what is left is removed as the server's own user, never as root, and the
 * statement repeated. Links are removed, not followed.
 */
export const dropSchema = async (session: MariadbSession, database: string): Promise<void> => {
  const { run } = session
  const statement = `DROP DATABASE IF EXISTS ${quoteName(database)}`
  await run(
    `SET SESSION lock_wait_timeout = ${LOCK_WAIT_SECS}, innodb_lock_wait_timeout = ${LOCK_WAIT_SECS}`,
  )
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run(statement)
      return
    } catch (error) {
      const code = error instanceof MariadbError ? error.code : ''
      if (attempt > 3) throw error
      if (code === 'ER_LOCK_WAIT_TIMEOUT') await rollBackPrepared(session)
      else if (LEFTOVERS.includes(code)) await emptyDirectory(session, database)
      else throw error
    }
  }
}
