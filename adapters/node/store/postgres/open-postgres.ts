import { PostgresDialect } from 'kysely'
import type { PostgresPool } from 'kysely'
import pg, { type ClientConfig } from 'pg'
import type { Store } from '#handlers/ports/store/store.ts'
import { createKyselyStore } from '#adapters/shared/store/kysely-store.ts'
import { PostgresStoreCompiler } from '#adapters/shared/store/postgres/postgres-compiler.ts'
import { toPostgres } from '#adapters/shared/store/postgres/postgres-schema.ts'
import { closeToOthers, openToOthers } from './close-to-others.ts'
import { connectionOf, NO_FILES, type StoreFiles } from './connection-of.ts'
import { prepareMarks } from './commit-marks.ts'
import { away, isLost } from './lost-server.ts'
import { createPostgresBatch, plainRows, type Turns } from './postgres-batch.ts'
import { storedValues } from './stored-values.ts'

type Row = Record<string, unknown>

const OLDEST = 140_000
const CONNECTIONS = { reads: 8, writes: 4 }
const CONNECT_MS = 5000
/** Longer than the server lets a statement take: who is cut off without a word is told by nobody. */
const ANSWER_MS = 12_000

/** Who is cut off or stands still within a batch holds the writer's lock no longer than this. */
const SETTINGS = [
  'statement_timeout=10s',
  'lock_timeout=5s',
  'idle_in_transaction_session_timeout=3s',
  'client_encoding=UTF8',
  'timezone=UTC',
]

/** Of a server that is not, or not yet, the one that takes records. */
const standby = (): Error =>
  Object.assign(new Error('the server at its address is a standby, whose records may be old'), {
    // As a server says that it cannot be used now.
    code: '57P03',
  })

/** Lets no connection be used that leads to a standby. One that became the primary stays it. */
const verify = (client: pg.PoolClient, done: (error?: Error) => void): void => {
  client
    .query<{ standby: number }>('select pg_is_in_recovery() as standby')
    .then(({ rows }) => (rows[0]?.standby === 0 ? done() : done(standby())), done)
}

const openPool = (server: ClientConfig, most: number, settings: readonly string[]): pg.Pool => {
  const pool = new pg.Pool({
    ...server,
    max: most,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    verify,
    keepAlive: true,
    application_name: 'berth panel',
    options: settings.map((one) => `-c ${one}`).join(' '),
    types: storedValues,
  })
  // One that is idle when the server ends; the next request opens another.
  pool.on('error', () => undefined)
  // One that the server ends between two statements of a batch: the next statement is told.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** What the server is not and must be, as a sentence for the administrator; null: nothing. */
const problemOf = async (pool: pg.Pool): Promise<string | null> => {
  const { rows } = await pool.query<
    Record<'version' | 'commit' | 'standbys' | 'idle' | 'encoding', string>
  >(
    `select current_setting('server_version_num') as version,
      current_setting('synchronous_commit') as commit,
      current_setting('synchronous_standby_names') as standbys,
      current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('server_encoding') as encoding`,
  )
  const { version = '0', commit = '', standbys = '', idle = '', encoding = '' } = rows[0] ?? {}
  if (Number(version) < OLDEST) return 'The database of the panel must be PostgreSQL 14 or newer.'
  if (commit === 'off')
    return 'synchronous_commit is off in the database of the panel, which loses what was acknowledged. Set it to on.'
  if (commit === 'local' && standbys !== '')
    return 'synchronous_commit is local in the database of the panel, so that a standby that takes over lacks what was acknowledged. Set it to on.'
  if (idle !== '3s')
    return 'What the panel sets for its connections does not arrive at the server (idle_in_transaction_session_timeout). Let the pooler between them keep the settings of a session, or leave it out.'
  if (encoding !== 'UTF8')
    return `The database of the panel has the encoding ${encoding}. Make one with: createdb --encoding=UTF8 --template=template0`
  return null
}

/** What reads go through: a transaction that writes is refused by the server. */
const reading = (pool: pg.Pool): PostgresPool => ({
  async connect() {
    let lost = false
    const told = (error: unknown): never => {
      lost = isLost(error)
      throw lost ? away(error) : error
    }
    const client = await pool.connect().catch(told)
    return {
      async query(text: string, values: readonly unknown[]) {
        const result = await client.query<Row>(text, [...values]).catch(told)
        return { ...result, rows: plainRows(result.rows) }
      },
      release: () => client.release(lost),
    } as unknown as Awaited<ReturnType<PostgresPool['connect']>>
  },
  end: () => pool.end(),
  options: pool.options,
})

/** A store on a server. */
interface OpenedPostgres {
  store: Store
  /** See `OpenedStore`. */
  problem(): Promise<string | null>
  /** Of the server. */
  version(): Promise<string>
  close(): Promise<void>
}

/**
 * Opens the panel's store on a PostgreSQL server (14 or newer), whose database may be empty.
 *
 * @param url see `parseStoreUrl`
 * @param turns what is written in one is refused once it is another panel's; default: none are known
 */
export const openPostgres = async (
  url: string,
  files: StoreFiles = NO_FILES,
  turns?: Turns,
): Promise<OpenedPostgres> => {
  const server = connectionOf(url, files)
  const writes = openPool(server, CONNECTIONS.writes, SETTINGS)
  const reads = openPool(server, CONNECTIONS.reads, [
    ...SETTINGS,
    'default_transaction_read_only=on',
  ])
  const close = async (): Promise<void> => {
    await Promise.all([writes.end(), reads.end()])
  }
  try {
    const problem = await problemOf(writes)
    if (problem !== null) throw new Error(problem)
    await closeToOthers(writes)
    await prepareMarks(writes)
    const dialect = new PostgresDialect({ pool: reading(reads) })
    dialect.createQueryCompiler = () => new PostgresStoreCompiler()
    const store = await createKyselyStore(dialect, createPostgresBatch(writes, turns), toPostgres)
    return {
      store,
      problem: async () => (await problemOf(reads)) ?? (await openToOthers(reads)),
      async version() {
        const { rows } = await reads.query<{ version: string }>(
          `select current_setting('server_version') as version`,
        )
        return rows[0]?.version ?? 'unknown'
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
