import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '#handlers/errors.ts'
import { withBits } from '#handlers/domain/databases/remote-address.ts'
import type { RemoteLogin, RemoteLogins, RemoteServing } from '../remote/remote-logins.ts'
import { rulesFor } from './host-rules.ts'
import type { PostgresqlServer } from './server.ts'
import { MAINTENANCE, withPostgresql } from './session.ts'
import type { PostgresqlSession } from './session.ts'

/** How long a server takes to read its files again. */
const RELOAD_MS = 10_000

/** When the server that answers has read its files; each new connection is told anew. */
const loadedAt = (server: PostgresqlServer): Promise<string> =>
  withPostgresql(server.place, MAINTENANCE, async ({ run }) => {
    const [row] = await run('SELECT pg_conf_load_time()::text AS at')
    return String(row?.['at'])
  })

/** Has the server read its files again, and waits until whoever comes is met by the new ones. */
export const reloadPostgresql = async (server: PostgresqlServer): Promise<void> => {
  const before = await loadedAt(server)
  await withPostgresql(server.place, MAINTENANCE, ({ run }) => run('SELECT pg_reload_conf()'))
  const deadline = performance.now() + RELOAD_MS
  while ((await loadedAt(server)) === before) {
    if (performance.now() > deadline)
      throw unavailable('PostgreSQL does not read its configuration again. Look into its log.')
    await delay(25)
  }
}

/** What the file says as the server itself reads it, before it counts. */
const requireUnderstood = async (
  { run }: PostgresqlSession,
  rules: readonly string[],
): Promise<void> => {
  const rows = await run(
    `SELECT type, auth_method AS method, error FROM pg_hba_file_rules
     WHERE error IS NOT NULL OR type = 'hostssl'`,
  )
  const wrong = rows.find((row) => row['error'] !== null)
  if (wrong !== undefined)
    throw new Error(`PostgreSQL does not understand its pg_hba.conf: ${String(wrong['error'])}`)
  if (rows.filter(({ method }) => method === 'scram-sha-256').length < rules.length)
    throw new Error('PostgreSQL reads fewer rules in its pg_hba.conf than were written')
}

/** Ends what a user has open over the network from addresses that are not let in (any more). */
const endOthers = async (
  { run }: PostgresqlSession,
  { user, addresses }: RemoteLogin,
): Promise<void> => {
  await run(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE usename = $1 AND client_addr IS NOT NULL
       AND client_addr NOT IN ('127.0.0.1', '::1') AND NOT client_addr <<= ANY ($2::inet[])`,
    [user, addresses.map(withBits)],
  )
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, at) => line === other[at])

/** Users of PostgreSQL who come from elsewhere: lines of `pg_hba.conf`, which is the server's one list of all. */
export const postgresqlRemote = (server: PostgresqlServer): RemoteLogins => {
  const { listener, rules } = server
  let turn: Promise<unknown> = Promise.resolve()

  const write = async (all: () => readonly RemoteLogin[]): Promise<void> => {
    const before = rules.read()
    const wanted = listener === null ? [] : rulesFor(all())
    if (same(before, wanted)) return
    rules.write(wanted)
    try {
      await withPostgresql(server.place, MAINTENANCE, (open) => requireUnderstood(open, wanted))
      await reloadPostgresql(server)
    } catch (error) {
      rules.write(before)
      await reloadPostgresql(server).catch(() => undefined)
      throw error
    }
  }

  return {
    wanted: listener !== null,
    async serving() {
      if (listener === null || !server.isMade()) return { port: null, problem: null }
      return withPostgresql(server.place, MAINTENANCE, async ({ run }): Promise<RemoteServing> => {
        const [row] = await run(
          `SELECT current_setting('listen_addresses') AS address, current_setting('ssl') AS tls,
             current_setting('port') AS port`,
        )
        const not = (problem: string): RemoteServing => ({ port: null, problem })
        const addresses = String(row?.['address'])
        if (
          !/(^|[, ])(\*|0\.0\.0\.0|::|(?!127\.|::1|localhost)[0-9a-f.:]+)($|[, ])/.test(addresses)
        )
          return not(`it listens at ${addresses || 'no address'} alone`)
        if (row?.['tls'] !== 'on') return not('it has no TLS')
        return { port: Number(row['port']), problem: null }
      })
    },
    async set(account, all) {
      // One file for all accounts: the next one reads what this one wrote.
      const mine = turn.then(() => write(all))
      turn = mine.catch(() => undefined)
      await mine
      await withPostgresql(server.place, MAINTENANCE, async (open) => {
        for (const login of account) await endOthers(open, login)
      })
    },
    renewCertificate: () => reloadPostgresql(server),
  }
}
