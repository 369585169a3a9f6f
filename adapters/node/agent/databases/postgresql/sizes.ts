import type { DatabaseSize } from '../engine.ts'
import { withPostgresql } from './session.ts'
import { quoteIdentifier } from './statements.ts'
import type { PostgresqlPlace, PostgresqlSession } from './session.ts'

/** Connections for counting tables at the same time. */
const AT_ONCE = 4

/** Tables can be counted from inside a database only; the names used are the server's own. */
const countTables = (place: PostgresqlPlace, database: string): Promise<number> =>
  withPostgresql(place, database, async ({ run }) => {
    const [row] = await run(
      `SELECT count(*) AS tables FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`,
    )
    return Number(row?.['tables'])
  })

/** Tables of a database and rows in them, counted as its owner: what a definition runs has his rights alone. */
export const countRows = (
  place: PostgresqlPlace,
  database: string,
  user: string,
): Promise<{ tables: number; rows: number }> =>
  withPostgresql(place, database, async ({ run }) => {
    await run(`SET statement_timeout = 3600000`)
    await run(`SET SESSION AUTHORIZATION ${quoteIdentifier(user)}`)
    const names = await run(
      `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`,
    )
    let rows = 0
    for (const { schema, name } of names) {
      const table = `${quoteIdentifier(String(schema))}.${quoteIdentifier(String(name))}`
      const [row] = await run(`SELECT pg_catalog.count(*) AS count FROM ONLY ${table}`)
      rows += Number(row?.['count'])
    }
    return { tables: names.length, rows }
  })

/** Bytes on disk, an empty database's own 7 MB included, and tables of databases. */
export const postgresqlSizes = async (
  place: PostgresqlPlace,
  { run }: PostgresqlSession,
  databases: readonly string[],
): Promise<Map<string, DatabaseSize>> => {
  const rows = await run(
    `SELECT datname AS name, pg_database_size(oid) AS size FROM pg_database
     WHERE datname = ANY($1)`,
    [databases],
  )
  const sizes = new Map<string, DatabaseSize>()
  const waiting = [...rows]
  const work = async (): Promise<void> => {
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      const name = String(row['name'])
      // One that is dropped meanwhile is simply not told of.
      const tables = await countTables(place, name).catch(() => null)
      if (tables !== null) sizes.set(name, { sizeBytes: Number(row['size']), tables })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return sizes
}
