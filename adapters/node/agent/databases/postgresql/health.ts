import { MOST_DAMAGED, numberOf, shown, type EngineHealth } from '../engine-health.ts'
import type { PostgresqlSession } from './session.ts'

const SETTINGS = `SELECT pg_is_in_recovery() AS recovery,
  (SELECT setting FROM pg_settings WHERE name = 'default_transaction_read_only') AS read_only,
  (SELECT setting::int FROM pg_settings WHERE name = 'max_connections') AS most,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
  (SELECT max(age(datfrozenxid)) FROM pg_database) AS oldest`

const DAMAGED = `SELECT datname AS name, checksum_failures AS failures FROM pg_stat_database
  WHERE checksum_failures > 0 AND datname IS NOT NULL ORDER BY datname LIMIT ${MOST_DAMAGED}`

/** How a PostgreSQL server stands. */
export const postgresqlHealth = async ({ run }: PostgresqlSession): Promise<EngineHealth> => {
  const [row = {}] = await run(SETTINGS)
  const readOnly = row['recovery'] === true ? 'it is in recovery' : null
  return {
    readOnly:
      readOnly ?? (row['read_only'] === 'on' ? 'default_transaction_read_only is on' : null),
    // This question itself is one of them.
    connections: { used: Math.max(0, numberOf(row['used']) - 1), limit: numberOf(row['most']) },
    damaged: (await run(DAMAGED)).map(({ name, failures }) => ({
      name: shown(name),
      what: `${numberOf(failures)} pages had wrong checksums`,
    })),
    oldestTransactions: numberOf(row['oldest']),
  }
}
