import { PostgresDialect } from 'kysely'
import type { PostgresPool } from 'kysely'
import pg from 'pg'
import type { Store } from '#handlers/ports/store/store.ts'
import { createKyselyStore } from '#adapters/shared/store/kysely-store.ts'
import { PostgresStoreCompiler } from '#adapters/shared/store/postgres/postgres-compiler.ts'
import { toPostgres } from '#adapters/shared/store/postgres/postgres-schema.ts'
import { away, isLost } from './lost-server.ts'
import { createPostgresBatch, plainRows } from './postgres-batch.ts'
import { storedValues } from './stored-values.ts'

type Row = Record<string, unknown>

const OLDEST = 140_000
const CONNECTIONS = { reads: 8, writes: 4 }
const CONNECT_MS = 5000

/** Who is cut off or stands still within a batch holds the writer's lock no longer than this. */
const SETTINGS = [
  'statement_timeout=10s',
  'lock_timeout=5s',
  'idle_in_transaction_session_timeout=3s',
  'client_encoding=UTF8',
  'timezone=UTC',
]

const openPool = (url: string, most: number, settings: readonly string[]): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    max: most,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'berth panel',
    options: settings.map((one) => `-c ${one}`).join(' '),
    types: storedValues,
  })
  // One that is idle when the server ends; the next request opens another.
  pool.on('error', () => undefined)
  return pool
}

/** What the server must be; throws a sentence for the administrator. */
const check = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<Record<'version' | 'commit' | 'encoding', string>>(
    `select current_setting('server_version_num') as version,
      current_setting('synchronous_commit') as commit,
      current_setting('server_encoding') as encoding`,
  )
  const { version = '0', commit = '', encoding = '' } = rows[0] ?? {}
  if (Number(version) < OLDEST)
    throw new Error('The database of the panel must be PostgreSQL 14 or newer.')
  if (commit === 'off')
    throw new Error(
      'synchronous_commit is off in the database of the panel, which loses what was acknowledged. Set it to on.',
    )
  if (encoding !== 'UTF8')
    throw new Error(
      `The database of the panel has the encoding ${encoding}. Make one with: createdb --encoding=UTF8 --template=template0`,
    )
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

/**
 * Opens the panel's store on a PostgreSQL server (14 or newer), whose database may be empty.
 *
 * @param url e.g. `postgres://berth:secret@db.example/berth?sslmode=verify-full`
 */
export const openPostgres = async (
  url: string,
): Promise<{ store: Store; close(): Promise<void> }> => {
  const writes = openPool(url, CONNECTIONS.writes, SETTINGS)
  const reads = openPool(url, CONNECTIONS.reads, [...SETTINGS, 'default_transaction_read_only=on'])
  const close = async (): Promise<void> => {
    await Promise.all([writes.end(), reads.end()])
  }
  try {
    await check(writes)
    const dialect = new PostgresDialect({ pool: reading(reads) })
    dialect.createQueryCompiler = () => new PostgresStoreCompiler()
    const store = await createKyselyStore(dialect, createPostgresBatch(writes), toPostgres)
    return { store, close }
  } catch (error) {
    await close()
    throw error
  }
}
