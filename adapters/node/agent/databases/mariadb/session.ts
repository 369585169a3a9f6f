import os from 'node:os'
import type { RowDataPacket } from 'mysql2/promise'

/** A connection as the server's administrator. */
export interface MariadbSession {
  /** `values` are for `?` placeholders. Errors name the code only: statements may hold hashes. */
  run(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>
}

/** A statement or the connection failed; holds no statement text. */
export class MariadbError extends Error {
  readonly code: string
  /** Whether the server could not be reached, as opposed to refusing the statement. */
  readonly isUnreachable: boolean
  constructor(code: string) {
    super(`MariaDB answered ${code}`)
    this.name = 'MariadbError'
    this.code = code
    this.isUnreachable = !code.startsWith('ER_') || code === 'ER_CON_COUNT_ERROR'
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'an unknown error'

/** The kernel tells the server our user; nothing is sent. */
const unixSocketAuthentication = () => () => Buffer.alloc(0)

/**
 * Connects over the unix socket as the operating system user that we are, runs
 * `work` and disconnects. A connection costs a few milliseconds and operations
 * are rare, so none is kept.
 */
export const withMariadb = async <T>(
  socketPath: string,
  work: (session: MariadbSession) => Promise<T>,
): Promise<T> => {
  // Not at the start of the agent, which sites wait for.
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({
    socketPath,
    user: process.getuid?.() === 0 ? 'root' : os.userInfo().username,
    authPlugins: { auth_socket: unixSocketAuthentication },
    connectTimeout: 10_000,
  }).catch((error: unknown) => {
    throw new MariadbError(codeOf(error))
  })
  // A connection that breaks while idle must not become an uncaught error.
  connection.on('error', () => undefined)
  try {
    return await work({
      async run(sql, values = []) {
        try {
          const [rows] = await connection.query<RowDataPacket[]>(sql, [...values])
          return Array.isArray(rows) ? rows : []
        } catch (error) {
          throw new MariadbError(codeOf(error))
        }
      },
    })
  } finally {
    await connection.end().catch(() => connection.destroy())
  }
}
