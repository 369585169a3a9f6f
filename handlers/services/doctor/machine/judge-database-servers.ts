import type { DatabaseEngine } from '../../../ports/store/records.ts'
import type { MachineDatabaseServer } from '../../../ports/host/machine.ts'
import type { MachineDiagnosis } from './judgement.ts'

/** With so few connections left, the next busy site gets none. */
const CONNECTIONS_PART = 0.9
/** PostgreSQL stops at 2^31 transactions; autovacuum begins to hurry at 200 million. Past the half something keeps it from cleaning up. */
const OLD_TRANSACTIONS = 1_000_000_000
const TOO_OLD_TRANSACTIONS = 1_800_000_000

const NAMES: Readonly<Record<DatabaseEngine, string>> = {
  mariadb: 'MariaDB',
  mysql: 'MySQL',
  postgresql: 'PostgreSQL',
}

const repairOf = (engine: DatabaseEngine): string =>
  engine === 'postgresql'
    ? 'Make a backup, then restore the database from one that is whole; see the log of PostgreSQL.'
    : 'Make a backup, then run REPAIR TABLE on it as administrator; restore it from a backup where that fails.'

/** Whether database servers answer, take changes, have room, and call their data whole. */
export const judgeDatabaseServers = (
  servers: readonly MachineDatabaseServer[],
): MachineDiagnosis[] =>
  servers.flatMap((server): MachineDiagnosis[] => {
    const { engine, unreachable, readOnly, connections, damaged, oldestTransactions, notReached } =
      server
    const subject = NAMES[engine]
    const kind = 'database-server'
    if (unreachable !== null)
      return [
        {
          kind,
          subject,
          what: `does not answer: ${unreachable}`,
          fix: `Look into its log (in the log directory; systemctl status where it is the system's). A server of Berth's own is started again by itself.`,
        },
      ]
    const found: MachineDiagnosis[] = damaged.map(({ name, what }) => ({
      kind,
      subject: `${subject} ${name}`,
      what: `is damaged: ${what}`,
      why: 'What is in it cannot be read, or is wrong; backups of it fail.',
      fix: repairOf(engine),
    }))
    if (readOnly !== null)
      found.push({
        kind,
        subject,
        what: `takes no changes: ${readOnly}`,
        fix: 'Take that setting away and restart the server; a server in recovery must be finished or restored first.',
      })
    if (notReached !== null)
      found.push({
        kind,
        level: 'warning',
        subject,
        what: `is not reached from other machines as the configuration says: ${notReached}`,
        fix: 'Free its port or mend what is named and restart Berth, or turn it off: mariadb_remote or postgresql_remote in section [databases].',
      })
    if (connections !== null && connections.used >= connections.limit * CONNECTIONS_PART)
      found.push({
        kind,
        level: connections.used >= connections.limit ? 'fault' : 'warning',
        subject,
        what: `has ${connections.used} of ${connections.limit} connections in use`,
        why: 'Sites that ask for one more get an error.',
        fix: 'See who holds them (SHOW PROCESSLIST, pg_stat_activity); raise max_connections where they are needed.',
      })
    if (oldestTransactions !== null && oldestTransactions >= OLD_TRANSACTIONS)
      found.push({
        kind,
        level: oldestTransactions >= TOO_OLD_TRANSACTIONS ? 'fault' : 'warning',
        subject,
        what: `has not cleaned up for ${Math.floor(oldestTransactions / 1_000_000)} million transactions`,
        why: 'At two thousand million it refuses all work until it is cleaned up by hand.',
        fix: 'End transactions that are open for long and prepared ones, then run: vacuumdb --all --freeze',
      })
    return found
  })
