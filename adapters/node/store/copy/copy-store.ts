import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import pg from 'pg'
import { openStore } from '../open-store.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { connectionOf, NO_FILES } from '../postgres/connection-of.ts'
import { storedValues } from '../postgres/stored-values.ts'
import { copyRows, type CopyProgress } from './copy-rows.ts'
import { postgresSide } from './postgres-side.ts'
import { sqliteSide } from './sqlite-side.ts'
import type { StorePlace } from '../store-place.ts'
import type { StoreSide } from './store-side.ts'

/** A side with its transaction. */
interface OpenSide {
  side: StoreSide
  commit(): Promise<void>
  /** Undoes what was not committed. */
  close(): Promise<void>
}

const openSqlite = (file: string, begin: 'BEGIN' | 'BEGIN IMMEDIATE'): OpenSide => {
  const db = new Database(file, { timeout: 5000, fileMustExist: true })
  db.exec(begin)
  return {
    side: sqliteSide(db),
    commit: async () => void db.exec('COMMIT'),
    close: async () => void db.close(),
  }
}

const openServer = async (
  { url, files = NO_FILES }: Extract<StorePlace, { url: string }>,
  begin: string,
): Promise<OpenSide> => {
  const client = new pg.Client({
    ...connectionOf(url, files),
    types: storedValues,
    options: '-c timezone=UTC',
  })
  await client.connect()
  await client.query(begin)
  return {
    side: postgresSide(client),
    commit: async () => void (await client.query('commit')),
    close: () => client.end(),
  }
}

/** Brings the schema of a place to this program's version; answers whether nobody uses it yet. */
const prepare = async (place: StorePlace): Promise<boolean> => {
  const { store, close } =
    'file' in place ? await openStore(place.file) : await openPostgres(place.url, place.files)
  try {
    return !(await store.setupDone()) && (await store.countAccounts()) === 0
  } finally {
    await close()
  }
}

/**
 * Copies the panel's store to another place, whole and compared, or not at all. The panel must
 * not run meanwhile: what it wrote would be missing.
 *
 * Throws a sentence for the administrator, also where the target is in use already.
 */
export const copyStore = async (
  from: StorePlace,
  to: StorePlace,
  tell?: (progress: CopyProgress) => void,
): Promise<{ tables: number; rows: number }> => {
  if ('file' in from && !existsSync(from.file)) throw new Error(`There is no ${from.file}.`)
  await prepare(from)
  if (!(await prepare(to)))
    throw new Error('There is a store in use at the target. Nothing was copied; name an empty one.')
  const source =
    'file' in from
      ? openSqlite(from.file, 'BEGIN')
      : await openServer(from, 'begin isolation level repeatable read, read only')
  try {
    const target =
      'file' in to ? openSqlite(to.file, 'BEGIN IMMEDIATE') : await openServer(to, 'begin')
    try {
      const copied = await copyRows(source.side, target.side, tell)
      await target.commit()
      return copied
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
