import type { DatabaseSize } from '../engine.ts'
import { withPostgresql } from './session.ts'
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
