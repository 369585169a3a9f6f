import mysql from 'mysql2/promise'
import pg from 'pg'
import type { OpenDatabase } from '#test/contract/databases/database-users-port.ts'

/** A connection of MariaDB's real client library. */
export const openMariadb: (
  socketPath: string,
  ...login: [user: string, password: string, database: string]
) => Promise<OpenDatabase> = async (socketPath, user, password, database) => {
  const connection = await mysql.createConnection({ socketPath, user, password, database })
  connection.on('error', () => undefined)
  return {
    async run(sql) {
      const [rows] = await connection.query(sql)
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
    },
    end: () => connection.end(),
  }
}

/** A connection of PostgreSQL's. */
export const openPostgresql = (
  host: string,
  ...login: [user: string, password: string, database: string]
): Promise<OpenDatabase> => openPostgresqlAt(host, 5432, ...login)

/** The same at a port. */
export const openPostgresqlAt = async (
  host: string,
  port: number,
  ...[user, password, database]: [user: string, password: string, database: string]
): Promise<OpenDatabase> => {
  const client = new pg.Client({ host, port, user, password, database })
  client.on('error', () => undefined)
  await client.connect()
  return {
    run: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    end: () => client.end(),
  }
}
