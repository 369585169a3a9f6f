import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import pg from 'pg'
import { parseStoreUrl } from '#handlers/domain/config/store-url.ts'
import { connectionOf, NO_FILES } from '../postgres/connection-of.ts'
import { WRITER_LOCK } from '../postgres/commit-marks.ts'
import { storedValues } from '../postgres/stored-values.ts'
import { whyNotOpened } from '../postgres/why-not-opened.ts'
import type { StorePlace } from '../store-place.ts'
import { copyRows, type CopyProgress } from './copy-rows.ts'
import { postgresSide } from './postgres-side.ts'
import {
  makePostgresSchema,
  makeSqliteSchema,
  postgresVersion,
  sqliteVersion,
} from './schema-of.ts'
import { sqliteSide } from './sqlite-side.ts'

export type ServerPlace = Extract<StorePlace, { url: string }>
type Tell = (progress: CopyProgress) => void
export type Copied = Awaited<ReturnType<typeof copyRows>>

const CONNECT_MS = 10_000

/** Works in one transaction, which is undone where it throws. */
const within = async <T>(
  { url, files = NO_FILES }: ServerPlace,
  begin: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({
    ...connectionOf(url, files),
    types: storedValues,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'berth copy',
    options: '-c timezone=UTC -c lock_timeout=10s -c search_path=public',
  })
  // Of a server that ends meanwhile; the statement under way tells.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    const address = parseStoreUrl(url)
    throw typeof address === 'string'
      ? error
      : new Error(whyNotOpened(error, address), { cause: error })
  }
  try {
    await client.query(begin)
    const done = await work(client)
    await client.query('commit')
    return done
  } finally {
    await client.end()
  }
}

/** Whether a panel has used the database: it has an administrator or an account. */
export const isStoreInUse = (server: ServerPlace): Promise<boolean> =>
  within(server, 'begin read only', async (client) => {
    if ((await postgresVersion(client)) === 0) return false
    const { rows } = await client.query<{ used: number }>(
      'select (exists (select from admins) or exists (select from accounts))::int as used',
    )
    return rows[0]?.used === 1
  })

/**
 * Copies a store on PostgreSQL, as of one moment, to a new SQLite file with the same version of
 * the schema, whole and compared, or not at all. The panel may run meanwhile; the server's rows are only read.
 */
export const saveStore = async (
  server: ServerPlace,
  file: string,
  tell?: Tell,
): Promise<Copied> => {
  closeSync(openSync(file, 'wx', 0o600))
  try {
    return await within(
      server,
      'begin isolation level repeatable read, read only',
      async (client) => {
        const db = new Database(file)
        try {
          db.pragma('synchronous = FULL')
          db.exec('BEGIN IMMEDIATE')
          makeSqliteSchema(db, await postgresVersion(client))
          const copied = await copyRows(postgresSide(client), sqliteSide(db), tell)
          db.exec('COMMIT')
          return copied
        } finally {
          db.close()
        }
      },
    )
  } catch (error) {
    for (const part of [file, `${file}-journal`]) rmSync(part, { force: true })
    throw error
  }
}

/**
 * Puts the store of a SQLite file in the place of whatever store is on PostgreSQL, with the file's
 * version of the schema: one transaction, so that there is the one or the other whole. No panel
 * may write meanwhile, and no other tables may be in the database's schema `public`.
 */
export const putStore = async (file: string, server: ServerPlace, tell?: Tell): Promise<Copied> => {
  if (!existsSync(file)) throw new Error(`There is no ${file}.`)
  const db = new Database(file, { timeout: 5000, fileMustExist: true })
  try {
    db.exec('BEGIN')
    const version = sqliteVersion(db)
    return await within(server, 'begin', async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [WRITER_LOCK])
      await makePostgresSchema(client, version)
      return copyRows(sqliteSide(db), postgresSide(client), tell)
    })
  } finally {
    db.close()
  }
}
