import { chmodSync, closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import type { Store } from '#handlers/ports/store/store.ts'
import type { RunBatch } from '#adapters/shared/store/batch.ts'
import { createKyselyStore } from '#adapters/shared/store/kysely-store.ts'

/** One transaction; synchronous, so nothing of this process can come in between. */
const createRunBatch = (db: Database.Database): RunBatch => {
  const run = db.transaction((queries: Parameters<RunBatch>[0]) =>
    queries.map((query) => {
      const statement = db.prepare<unknown[], Record<string, unknown>>(query.sql)
      if (!statement.reader)
        return { rows: [], changes: statement.run(...query.parameters).changes }
      return { rows: statement.all(...query.parameters), changes: 0 }
    }),
  )
  return async (queries) => run.immediate(queries)
}

/** What reads go through: a statement that changes something is refused before it runs. */
export const readingDialect = (db: Database.Database): SqliteDialect =>
  new SqliteDialect({
    database: {
      prepare(text) {
        const statement = db.prepare<unknown[], unknown>(text)
        if (!statement.readonly) throw new Error(`A write outside of a batch: ${text}`)
        return statement
      },
      close: () => db.close(),
    },
  })

/**
 * Opens the panel's SQLite file (created with mode 0600), in WAL mode and with
 * every acknowledged write on the disk, also after a loss of power.
 */
export const openStore = async (file: string): Promise<{ store: Store; close(): void }> => {
  // Made here, because SQLite would make it with the process's umask; WAL and index take its mode.
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
  const db = new Database(file, { timeout: 5000 })
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    db.pragma('busy_timeout = 5000')
    const store = await createKyselyStore(readingDialect(db), createRunBatch(db))
    return { store, close: () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Of the SQLite that this process has. */
export const sqliteVersion = (): string => {
  const db = new Database(':memory:')
  try {
    return String(db.prepare('select sqlite_version()').pluck().get())
  } finally {
    db.close()
  }
}
