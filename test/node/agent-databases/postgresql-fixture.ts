import { mkdir } from 'node:fs/promises'
import pg from 'pg'
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'
import { createDatabasesPort } from '#adapters/node/agent/databases/databases-port.ts'
import type { DatabasesService } from '#adapters/node/agent/databases/databases-port.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { findProcesses, withoutForks } from '#adapters/node/agent/host/process-facts.ts'
import type { ProcessFacts } from '#adapters/node/agent/host/process-facts.ts'
import { createHostFixture } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'

/** A host with a private PostgreSQL server. */
export interface PostgresqlFixture {
  host: HostFixture
  socketDirectory: string
  compose(): Engine
  createService(engine?: Engine): DatabasesService
  /** Running servers of this host. */
  servers(): ProcessFacts[]
  /** Registers an account of the registry alone: databases need no OS user. */
  registerAccount(username: string): string
  connect(user: string, password: string, database: string): Promise<pg.Client>
  canLogIn(user: string, password: string, database: string): Promise<boolean>
  /** Runs statements as the server's administrator. */
  asAdministrator(database: string, ...statements: string[]): Promise<unknown[]>
}

export const createPostgresqlFixture = async (): Promise<PostgresqlFixture> => {
  const host = await createHostFixture()
  await mkdir(`${host.directory}/log`)
  const socketDirectory = `${host.runDir}/postgresql`
  const compose = (): Engine => {
    const { engines } = composeEngines(
      {
        mariadb: 'off',
        mariadb_socket: '/nowhere',
        postgresql: 'managed',
        postgresql_socket: '/nowhere/.s.PGSQL.5432',
      },
      { state_dir: host.stateDir, run_dir: host.runDir, log_dir: `${host.directory}/log` },
      host.log,
    )
    const [engine] = engines
    if (!engine) throw new Error('PostgreSQL is not installed')
    return engine
  }
  const connect: PostgresqlFixture['connect'] = async (user, password, database) => {
    const client = new pg.Client({ host: socketDirectory, port: 5432, user, password, database })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  return {
    host,
    socketDirectory,
    compose,
    createService: (engine = compose()) =>
      createDatabasesPort({
        registry: host.registry,
        lock: host.lock,
        engines: [engine],
        log: host.log,
      }),
    servers: () =>
      withoutForks(
        findProcesses(
          ({ commandLine, exe }) =>
            Boolean(exe?.endsWith('/postgres')) && commandLine.includes(host.stateDir),
        ),
      ),
    registerAccount: (username) => {
      host.registry.records.reserve(
        { username, home: `${host.directory}/home/${username}`, diskQuotaMb: 0 },
        { isFree: () => true },
      )
      host.registry.records.setState(username, 'ready')
      return username
    },
    connect,
    canLogIn: async (user, password, database) => {
      try {
        const client = await connect(user, password, database)
        await client.end()
        return true
      } catch {
        return false
      }
    },
    asAdministrator: async (database, ...statements) => {
      const client = await connect('postgres', '', database)
      try {
        const rows: unknown[] = []
        for (const statement of statements) rows.push(...(await client.query(statement)).rows)
        return rows
      } finally {
        await client.end()
      }
    },
  }
}
