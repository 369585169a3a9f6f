import type { Duplex } from 'node:stream'
import type { RunAs } from '../../../process/as-user.ts'
import { socketAsUser } from '../socket-as-user.ts'

/** Where a server answers, and as whom it is administered. */
export interface PostgresqlPlace {
  /** Directory of the socket `.s.PGSQL.<port>`. */
  directory: string
  port: number
  /** Role with all rights. */
  administrator: string
  /** Operating system user to connect as; null: the one that we are. */
  connectAs: RunAs | null
}

/** A connection as the server's administrator. */
export interface PostgresqlSession {
  /** `values` are for `$1` placeholders. Errors name the code only: statements may hold verifiers. */
  run(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
}

/** Administrators' database; every server has it. */
export const MAINTENANCE = 'postgres'

/** A statement or the connection failed; holds no statement text. */
export class PostgresqlError extends Error {
  /** SQLSTATE, or the system's code of a failed connection. */
  readonly code: string
  /** Whether the server could not be reached, as opposed to refusing the statement. */
  readonly isUnreachable: boolean
  constructor(code: string) {
    super(`PostgreSQL answered ${code}`)
    this.name = 'PostgresqlError'
    this.code = code
    // 08: connection, 53300: too many, 57P: shutting down, crashed, starting.
    this.isUnreachable = !/^[0-9A-Z]{5}$/.test(code) || /^(08|53300|57P)/.test(code)
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'an unknown error'

/**
 * Connects over the unix socket as the operating system user that the server
 * takes for its administrator, runs `work` and disconnects. Names mean the
 * server's own objects: what a tenant made under the same name is never called.
 */
export const withPostgresql = async <T>(
  place: PostgresqlPlace,
  database: string,
  work: (session: PostgresqlSession) => Promise<T>,
): Promise<T> => {
  const { connectAs, directory, port } = place
  // Not at the start of the agent, which sites wait for.
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    host: directory,
    port,
    user: place.administrator,
    database,
    // Never asked for; without it the home directory would be searched for one.
    password: '',
    application_name: 'berth',
    connectionTimeoutMillis: 10_000,
    options: '-c search_path=pg_catalog,pg_temp -c statement_timeout=60000 -c lock_timeout=20000',
    ...(connectAs
      ? { stream: (): Duplex => socketAsUser(connectAs, `${directory}/.s.PGSQL.${port}`) }
      : {}),
  })
  // A connection that breaks while idle must not become an uncaught error.
  client.on('error', () => undefined)
  try {
    await client.connect().catch((error: unknown) => {
      throw new PostgresqlError(codeOf(error))
    })
    return await work({
      async run(sql, values = []) {
        try {
          return (await client.query<Record<string, unknown>>(sql, [...values])).rows
        } catch (error) {
          throw new PostgresqlError(codeOf(error))
        }
      },
    })
  } finally {
    await client.end().catch(() => undefined)
  }
}
