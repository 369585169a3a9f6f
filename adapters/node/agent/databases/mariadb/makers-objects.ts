import type { MariadbSession } from './session.ts'

/** So many are named in a message. */
const NAMED = 5

/** Views, routines, triggers and events of a database that run in the name of `user`: the first few, as `the view x`. */
export const makersObjects = async (
  { run }: MariadbSession,
  database: string,
  user: string,
): Promise<string[]> => {
  const definer = `${user}@localhost`
  const rows = await run(
    `SELECT 'view' AS kind, table_name AS name FROM information_schema.views
       WHERE table_schema = ? AND definer = ?
     UNION ALL SELECT LOWER(routine_type), routine_name FROM information_schema.routines
       WHERE routine_schema = ? AND definer = ?
     UNION ALL SELECT 'trigger', trigger_name FROM information_schema.triggers
       WHERE trigger_schema = ? AND definer = ?
     UNION ALL SELECT 'event', event_name FROM information_schema.events
       WHERE event_schema = ? AND definer = ?
     LIMIT ${NAMED}`,
    [database, definer, database, definer, database, definer, database, definer],
  )
  return rows.map((row) => `the ${String(row['kind'])} ${String(row['name'])}`)
}
