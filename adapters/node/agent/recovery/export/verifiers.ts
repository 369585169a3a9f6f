import path from 'node:path'
import type { DatabasesConfig, PathsConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { composeEngines } from '../../databases/compose-engines.ts'
import { withMariadb } from '../../databases/mariadb/session.ts'
import { localUser } from '../../databases/mariadb/statements.ts'
import { ADMINISTRATOR } from '../../databases/postgresql/process.ts'
import { MAINTENANCE, withPostgresql } from '../../databases/postgresql/session.ts'
import type { PostgresqlPlace } from '../../databases/postgresql/session.ts'
import { passwordStatement } from '../../databases/postgresql/statements.ts'
import { findUser } from '../../../process/identities.ts'
import type { RegisteredDatabase } from '../../registry/types.ts'

/** What a server keeps of a user's password. */
export interface Verifier {
  engine: 'mariadb' | 'mysql' | 'postgresql'
  user: string
  verifier: string
}

type Config = { databases: DatabasesConfig; paths: PathsConfig }

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

const placeOf = ({ databases, paths }: Config): PostgresqlPlace => {
  const system = databases.postgresql === 'system'
  return {
    directory: system ? path.dirname(databases.postgresql_socket) : `${paths.run_dir}/postgresql`,
    port: system ? Number(path.extname(databases.postgresql_socket).slice(1)) : 5432,
    administrator: ADMINISTRATOR,
    // A server of ours takes whom it was made by for its administrator.
    connectAs: system ? findUser('postgres') : null,
  }
}

const mariadbSocket = ({ databases, paths }: Config): string | null =>
  composeEngines(databases, paths, SILENT).mariadbSocket

const NATIVE = /^\*[0-9A-F]{40}$/
const SCRAM = /^SCRAM-SHA-256\$[A-Za-z0-9+/=:$]+$/

const readMariadb = async (config: Config, users: string[]): Promise<Map<string, string>> => {
  const socket = mariadbSocket(config)
  if (socket === null) throw new Error('MariaDB is off')
  const rows = await withMariadb(socket, ({ run }) =>
    run(
      `SELECT user, JSON_VALUE(priv, '$.authentication_string') AS verifier
       FROM mysql.global_priv WHERE host = 'localhost' AND user IN (?)`,
      [users],
    ),
  )
  return new Map(rows.map((row) => [String(row['user']), String(row['verifier'])]))
}

const readPostgresql = async (config: Config, users: string[]): Promise<Map<string, string>> => {
  const rows = await withPostgresql(placeOf(config), MAINTENANCE, ({ run }) =>
    run('SELECT rolname, rolpassword FROM pg_authid WHERE rolname = ANY($1)', [users]),
  )
  return new Map(rows.map((row) => [String(row['rolname']), String(row['rolpassword'])]))
}

/** Verifiers of the databases' users from the servers that run; what could not be had is told. */
export const readVerifiers = async (
  databases: readonly Pick<RegisteredDatabase, 'engine' | 'user'>[],
  config: Config,
): Promise<{ verifiers: Verifier[]; leftOut: string[] }> => {
  const verifiers: Verifier[] = []
  const leftOut: string[] = []
  for (const [name, isIt, read, form] of [
    ['MariaDB', (engine: string) => engine !== 'postgresql', readMariadb, NATIVE],
    ['PostgreSQL', (engine: string) => engine === 'postgresql', readPostgresql, SCRAM],
  ] as const) {
    const rows = databases.filter(({ engine }) => isIt(engine))
    if (rows.length === 0) continue
    let found: Map<string, string>
    try {
      found = await read(config, [...new Set(rows.map(({ user }) => user))])
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      leftOut.push(`the logins of ${rows.length} databases: ${name} does not answer (${why})`)
      continue
    }
    for (const { engine, user } of rows) {
      const verifier = found.get(user)
      if (verifier !== undefined && form.test(verifier)) verifiers.push({ engine, user, verifier })
      else leftOut.push(`the login of the ${name} user ${user}: it has no password of ours`)
    }
  }
  return { verifiers, leftOut }
}

/** Gives a user that is there the password that the verifier is of. */
export const setVerifier = async (
  { engine, user, verifier }: Verifier,
  config: Config,
): Promise<void> => {
  if (engine === 'postgresql') {
    if (!SCRAM.test(verifier)) throw new Error('the verifier is none of PostgreSQL')
    await withPostgresql(placeOf(config), MAINTENANCE, ({ run }) =>
      run(passwordStatement(user, verifier)),
    )
    return
  }
  const socket = mariadbSocket(config)
  if (socket === null || !NATIVE.test(verifier)) throw new Error('the verifier is none of MariaDB')
  await withMariadb(socket, ({ run }) =>
    run(`ALTER USER ${localUser(user)} IDENTIFIED VIA mysql_native_password USING '${verifier}'`),
  )
}
