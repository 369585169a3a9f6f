import { MOST_DAMAGED, numberOf, shown, type EngineHealth } from '../engine-health.ts'
import type { MariadbSession } from './session.ts'

/** Looking for damage opens every table of the accounts; a large server gets no more of its time for it. */
const DAMAGE_SECS = 0.7

const SETTINGS = `SELECT @@global.read_only AS read_only, @@global.innodb_read_only AS innodb,
  @@global.innodb_force_recovery AS recovery, @@global.max_connections AS most,
  (SELECT variable_value FROM information_schema.global_status
   WHERE variable_name = 'THREADS_CONNECTED') AS used`

/**
 * A table that the server cannot open has no engine, and says why in its comment. The time
 * of its last check is asked for since without such a column the server reads its definition alone.
 */
const DAMAGED = `SET STATEMENT max_statement_time = ${DAMAGE_SECS} FOR
  SELECT table_schema AS place, table_name AS name, table_comment AS comment, check_time
  FROM information_schema.tables
  WHERE table_schema IN (?) AND table_type = 'BASE TABLE' AND engine IS NULL
  LIMIT ${MOST_DAMAGED}`

const readOnlyOf = (row: Record<string, unknown>): string | null => {
  if (numberOf(row['recovery']) > 0) return `innodb_force_recovery is ${numberOf(row['recovery'])}`
  if (numberOf(row['innodb']) > 0) return 'innodb_read_only is on'
  return numberOf(row['read_only']) > 0 ? 'read_only is on' : null
}

/** How a MariaDB server stands; `databases` are those of the accounts. */
export const mariadbHealth = async (
  { run }: MariadbSession,
  databases: readonly string[],
): Promise<EngineHealth> => {
  const [row = {}] = await run(SETTINGS)
  // Where time runs out nothing is known to be damaged.
  const rows = databases.length === 0 ? [] : await run(DAMAGED, [databases]).catch(() => [])
  return {
    readOnly: readOnlyOf(row),
    // This question itself is one of them.
    connections: { used: Math.max(0, numberOf(row['used']) - 1), limit: numberOf(row['most']) },
    damaged: rows.map(({ place, name, comment }) => ({
      name: shown(`${String(place)}.${String(name)}`),
      what: shown(comment) || 'the server cannot open it',
    })),
    oldestTransactions: null,
  }
}
