import { MOST_STATEMENTS, MOST_TEXT } from '../slow/running-statement.ts'
import type { RunningStatement } from '../slow/running-statement.ts'
import type { PostgresqlSession } from './session.ts'

/** What PostgreSQL runs for longer than `overMs`. */
export const postgresqlRunning = async (
  { run }: PostgresqlSession,
  overMs: number,
): Promise<RunningStatement[]> => {
  const rows = await run(
    `SELECT pid || ':' || extract(epoch from query_start) AS id, usename AS user, datname AS db,
       round(extract(epoch from clock_timestamp() - query_start) * 1000) AS ms,
       left(query, ${MOST_TEXT}) AS text
     FROM pg_stat_activity
     WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()
       AND clock_timestamp() - query_start >= make_interval(secs => $1::float8 / 1000)
     ORDER BY query_start LIMIT ${MOST_STATEMENTS}`,
    [overMs],
  )
  return rows.map((row) => ({
    id: String(row['id']),
    user: String(row['user']),
    database: row['db'] === null ? null : String(row['db']),
    ms: Number(row['ms']),
    text: String(row['text']),
  }))
}
