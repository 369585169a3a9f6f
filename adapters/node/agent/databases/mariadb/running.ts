import { MOST_STATEMENTS, MOST_TEXT } from '../slow/running-statement.ts'
import type { RunningStatement } from '../slow/running-statement.ts'
import type { MariadbSession } from './session.ts'

/** What MariaDB runs for longer than `overMs`. */
export const mariadbRunning = async (
  { run }: MariadbSession,
  overMs: number,
): Promise<RunningStatement[]> => {
  const rows = await run(
    `SELECT id, query_id, user, db, time_ms, LEFT(info, ${MOST_TEXT}) AS text
     FROM information_schema.processlist
     WHERE command IN ('Query', 'Execute') AND info IS NOT NULL AND time_ms >= ?
     ORDER BY time_ms DESC LIMIT ${MOST_STATEMENTS}`,
    [overMs],
  )
  return rows.map((row) => ({
    id: `${String(row['id'])}:${String(row['query_id'])}`,
    user: String(row['user']),
    database: row['db'] === null ? null : String(row['db']),
    ms: Math.round(Number(row['time_ms'])),
    text: String(row['text']),
  }))
}
