import { mkdir } from 'node:fs/promises'
import net from 'node:net'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { composeEngines } from '#adapters/node/agent/databases/compose-engines.ts'
import { createDatabasesPort } from '#adapters/node/agent/databases/databases-port.ts'
import type { DatabasesService } from '#adapters/node/agent/databases/databases-port.ts'
import type { Engine } from '#adapters/node/agent/databases/engine.ts'
import { describeCertificate } from '#adapters/node/agent/databases/remote/remote-certificate.ts'
import { remoteListener } from '#adapters/node/agent/databases/remote/server-certificate.ts'
import type {
  RemoteListener,
  ServerPair,
} from '#adapters/node/agent/databases/remote/server-certificate.ts'
import { createSelfSigned } from '#adapters/node/tls/self-signed.ts'
import type { OpenDatabase } from '#test/contract/databases/database-users-port.ts'
import { createHostFixture, randomAccountName } from '#test/node/agent-php/host-fixture.ts'
import type { HostFixture } from '#test/node/agent-php/host-fixture.ts'
import { freePorts } from '#test/support/free-ports.ts'

/** Name of the certificate that servers of these tests show. */
export const SERVER_NAME = 'db.example'
export const PASSWORD = 'correct horse 9 battery'

/** A host whose private server other machines may reach. */
export interface RemoteHost {
  host: HostFixture
  engine: Engine
  port: number
  service: DatabasesService
  socket: string
  /** The pair that counts from the next look at it on. */
  pair: ServerPair
  listener(): RemoteListener
  /** An account of the registry alone: databases need no OS user. */
  registerAccount(): string
  /** Another agent over the same state, whose server may be reached or not. */
  compose(reached: boolean): { engine: Engine; service: DatabasesService }
}

/** A new pair. `own` is what `ServerPair` says of it. */
export const newPair = (): ServerPair => ({ ...createSelfSigned(SERVER_NAME), own: true })

export const createRemoteHost = async (name: 'mariadb' | 'postgresql'): Promise<RemoteHost> => {
  const host = await createHostFixture()
  await mkdir(`${host.directory}/log`)
  const [port = 0] = await freePorts(1)
  const directory = `${host.stateDir}/databases/tls/${name}`
  let made: RemoteListener | null = null
  const compose = (reached: boolean) => {
    const { engines } = composeEngines(
      {
        mariadb: name === 'mariadb' ? 'managed' : 'off',
        mariadb_socket: '/nowhere',
        postgresql: name === 'postgresql' ? 'managed' : 'off',
        postgresql_socket: '/nowhere/.s.PGSQL.5432',
      },
      { state_dir: host.stateDir, run_dir: host.runDir, log_dir: `${host.directory}/log` },
      host.log,
      (_engine, runAs) =>
        reached ? (made = remoteListener(port, directory, runAs, () => on.pair)) : null,
    )
    const [engine] = engines
    if (!engine) throw new Error(`${name} is not installed`)
    const service = createDatabasesPort({
      ...{ registry: host.registry, lock: host.lock, engines, log: host.log },
      access: {
        host: SERVER_NAME,
        certificate: () => describeCertificate(on.pair),
        renewed: async () => ((await made?.lay()) === true ? [name] : []),
      },
    })
    return { engine, service }
  }
  const on: RemoteHost = {
    ...{ host, port, compose, pair: newPair() },
    socket:
      name === 'mariadb' ? `${host.runDir}/mariadb/mariadb.sock` : `${host.runDir}/postgresql`,
    listener() {
      if (made === null) throw new Error('no listener')
      return made
    },
    registerAccount() {
      const username = randomAccountName()
      host.registry.records.reserve(
        { username, home: `${host.directory}/home/${username}`, diskQuotaMb: 0 },
        { isFree: () => true },
      )
      host.registry.records.setState(username, 'ready')
      return username
    },
    engine: undefined as never,
    service: undefined as never,
  }
  Object.assign(on, compose(true))
  return on
}

/** How a client of these tests speaks. `null`: without TLS. */
export type Trust = { ca: string; servername?: string } | null

const IP = '127.0.0.1'

/** MariaDB from an address of the loopback interface. */
export const openMariadbFrom = async (
  { port }: RemoteHost,
  from: string,
  login: { user: string; password: string; database?: string },
  trust: Trust,
): Promise<OpenDatabase> => {
  const connection = await mysql.createConnection({
    ...login,
    stream: () => net.connect({ host: IP, port, localAddress: from }),
    connectTimeout: 10_000,
    ...(trust === null
      ? {}
      : { ssl: { ca: trust.ca, rejectUnauthorized: true, verifyIdentity: false } }),
  })
  connection.on('error', () => undefined)
  return {
    async run(sql) {
      const [rows] = await connection.query(sql)
      return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
    },
    end: () => connection.end(),
  }
}

/** A socket that comes from an address, whatever it is told to connect to. */
const socketFrom = (from: string): net.Socket => {
  const socket = new net.Socket()
  const connect = socket.connect.bind(socket)
  socket.connect = ((port: number) =>
    connect({ host: IP, port, localAddress: from })) as typeof socket.connect
  return socket
}

/** PostgreSQL, likewise. */
export const openPostgresqlFrom = async (
  { port }: RemoteHost,
  from: string,
  login: { user: string; password: string; database?: string },
  trust: Trust,
): Promise<OpenDatabase> => {
  const client = new pg.Client({
    ...{ host: IP, port, ...login, connectionTimeoutMillis: 10_000 },
    stream: () => socketFrom(from),
    ...(trust === null
      ? {}
      : {
          ssl: {
            ca: trust.ca,
            servername: trust.servername ?? SERVER_NAME,
            // The certificate is held against the name, not the address.
            host: trust.servername ?? SERVER_NAME,
          },
        }),
  })
  client.on('error', () => undefined)
  await client.connect()
  return {
    run: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    end: () => client.end(),
  }
}
