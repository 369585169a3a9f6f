import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import mysql from 'mysql2/promise'
import type { Connection } from 'mysql2/promise'
import pg from 'pg'
import { expect } from 'vitest'
import { createArchiveKeys } from '#adapters/node/agent/backups/records/archive-keys.ts'
import { osPasswords } from '#adapters/node/agent/backups/records/system-passwords.ts'
import { takenIds } from '#adapters/node/agent/accounts/os-names.ts'
import { createBackupsPort } from '#adapters/node/agent/backups/backups-port.ts'
import type { BackupsDeps } from '#adapters/node/agent/backups/backups-port.ts'
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'
import { createDatabasesPort } from '#adapters/node/agent/databases/databases-port.ts'
import type {
  BackupFacts,
  BackupProgress,
  BackupWork,
} from '#handlers/ports/host/backups/backups.ts'
import type { DatabaseEngine } from '#handlers/ports/store/records.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { createAgentFixture, runAs } from '#test/node/agent/agent-fixture.ts'

/** Of every database. */
export const PASSWORD = 'correct horse 9 battery'

type NewWork = BackupWork extends infer W
  ? W extends { operationId: string }
    ? Omit<W, 'operationId'>
    : never
  : never

/**
 * Real users, a real MariaDB server (with `postgresql` a real one of that kind too), and
 * backups over them; `dispose` removes all of it.
 */
export const createBackupFixture = async (
  options: { change?: Partial<BackupsDeps>; postgresql?: boolean } = {},
) => {
  const host = await createAgentFixture()
  const { directory, registry, lock, helpers } = host
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message: string, fields?: Record<string, unknown>) =>
      void host.logged.push(`${message} ${JSON.stringify(fields ?? {})}`),
  }
  const at = (name: string): string => path.join(directory, name)
  for (const name of ['run', 'state', 'log']) await mkdir(at(name), { mode: 0o755 })
  await mkdir(at('backups'), { mode: 0o700 })
  const composed = composeEngines(
    {
      mariadb: 'managed',
      mariadb_socket: '/nowhere',
      postgresql: options.postgresql === true ? 'managed' : 'off',
      postgresql_socket: '/nowhere/.s.PGSQL.5432',
    },
    { state_dir: at('state'), run_dir: at('run'), log_dir: at('log') },
    log,
  )
  const { engines } = composed
  const databases = createDatabasesPort({ registry, lock, engines, log })
  databases.start()
  const deps: BackupsDeps = {
    registry,
    lock,
    helpers,
    engines,
    keys: createArchiveKeys(at('keys')),
    passwords: osPasswords,
    uidIsFree: async (uid) => !(await takenIds()).has(uid),
    homeBase: host.homeBase,
    certificates: { install: async () => Promise.reject(new Error('no certificates here')) },
    fetchSnapshot: async () => Promise.reject(new Error('no snapshots here')),
    madeBy: 'berth test',
    asRoot: true,
    directory: at('backups'),
    targets: () => [],
    log,
    waitMs: 500,
    ...options.change,
  }
  let backups = createBackupsPort(deps)
  let serial = 0

  const follow = async (operationId: string): Promise<BackupProgress> => {
    for (;;) {
      const progress = await backups.wait({ operationId })
      if (progress.state !== 'running') return progress
    }
  }
  /** Does a piece of work and answers how it ended. */
  const work = async (input: NewWork): Promise<BackupProgress> => {
    const operationId = `backup-${process.pid}-${(serial += 1)}`
    await backups.start({ ...input, operationId } as BackupWork)
    return follow(operationId)
  }
  const create = async (user: OsUser, filename: string): Promise<BackupFacts> => {
    const progress = await work({
      kind: 'create',
      username: user.username,
      filename,
      ...newRecord(user.username),
    })
    expect(progress.error).toBeNull()
    if (progress.result === null) throw new Error('no facts of a backup')
    return progress.result
  }
  return {
    ...host,
    backupsDir: at('backups'),
    socketPath: composed.mariadbSocket ?? '',
    databases,
    engines,
    deps,
    get backups() {
      return backups
    },
    /** As after a restart of the agent. */
    restart: async (more: Partial<BackupsDeps> = {}) => {
      await backups.stop()
      backups = createBackupsPort({ ...deps, ...more })
      await backups.settle()
    },
    work,
    follow,
    create,
    nameOf: (user: OsUser): string =>
      `${user.username}-20260101-${String((serial += 1)).padStart(6, '0')}.tar.gz`,
    /** Gives the account a database of which user and name are the same. */
    async database(
      user: OsUser,
      name: string,
      engine: DatabaseEngine = 'mariadb',
    ): Promise<string> {
      const database = `${user.username}_${name}`
      await databases.create({
        operationId: host.operationId(),
        username: user.username,
        engine,
        database,
        user: database,
        password: PASSWORD,
      })
      return database
    },
    async query(database: string, sql: string, asRoot = false): Promise<Record<string, unknown>[]> {
      const connection: Connection = await mysql.createConnection({
        socketPath: composed.mariadbSocket ?? '',
        ...(asRoot ? { user: 'root' } : { user: database, password: PASSWORD, database }),
        multipleStatements: true,
      })
      try {
        const [rows] = await connection.query(sql)
        return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
      } finally {
        await connection.end()
      }
    },
    /** As a further user of a database. */
    async queryAs(
      user: string,
      database: string,
      sql: string,
      password: string,
    ): Promise<Record<string, unknown>[]> {
      const socketPath = composed.mariadbSocket ?? ''
      const connection = await mysql.createConnection({ socketPath, user, password, database })
      try {
        return (await connection.query(sql))[0] as Record<string, unknown>[]
      } finally {
        await connection.end()
      }
    },
    /** As the user of a PostgreSQL database. */
    async queryPostgresql(database: string, sql: string): Promise<Record<string, unknown>[]> {
      const client = new pg.Client({
        host: at('run/postgresql'),
        user: database,
        password: PASSWORD,
        database,
      })
      await client.connect()
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows
      } finally {
        await client.end()
      }
    },
    /** Runs a shell script as the account, in its home: what a tenant does. */
    shell: (user: OsUser, script: string): Promise<string> => runAs(user, '/bin/sh', '-c', script),
    async dispose() {
      await backups.idle()
      await backups.stop()
      await databases.stop()
      await host.dispose()
    },
  }
}
export type BackupFixture = Awaited<ReturnType<typeof createBackupFixture>>
