import { pragmaNumber, type SqliteDatabase } from './driver.ts'

/** What a writer may take of the file system, and how it keeps to it. */
export interface SqliteRoom {
  /** Bound of the pages in use. */
  pageBytes: number
  /** Bound of one transaction; null: none but the number of its rows. */
  batchBytes: number | null
  /** Free pages given back by one sweep. */
  vacuumPages: number
  /** What a row of so many bytes may add to the write-ahead log. */
  logged(bytes: number): number
  /** To be called when a transaction has ended; `bytes` is the sum of what `logged` answered. */
  written(bytes: number): void
  /** To be called after a sweep. */
  swept(): void
}

const VACUUM_PAGES = 256
/** Pages of tables and indexes that a row touches, beside those of its body. */
const ROW_PAGES = 8
/** Index of the log, shared by all readers. */
const INDEX_BYTES = 64 * 1024

/** A file on a disk: `limitBytes` bounds the pages in use, SQLite's own rules the log. */
const onDisk = (limitBytes: number): SqliteRoom => ({
  pageBytes: limitBytes,
  batchBytes: null,
  vacuumPages: VACUUM_PAGES,
  logged: () => 0,
  written: () => undefined,
  swept: () => undefined,
})

/**
 * A file in memory: `limitBytes` bounds file and log together. A quarter is the
 * log's, which is written back and cut before it could need more; nothing is synced,
 * since nothing outlives the process.
 */
const inMemory = (db: SqliteDatabase, limitBytes: number): SqliteRoom => {
  const pageSize = pragmaNumber(db, 'page_size')
  const logBytes = Math.floor(limitBytes / 4)
  const batchBytes = Math.floor(logBytes / 4)
  db.pragma('synchronous = OFF')
  db.pragma(`journal_size_limit = ${batchBytes}`)
  let since = 0
  const cut = (): void => {
    since = 0
    db.pragma('wal_checkpoint(TRUNCATE)')
  }
  return {
    pageBytes: Math.max(pageSize, limitBytes - logBytes - INDEX_BYTES),
    batchBytes,
    vacuumPages: Math.min(VACUUM_PAGES, Math.max(1, Math.floor(batchBytes / pageSize))),
    logged: (bytes) => bytes + ROW_PAGES * pageSize,
    written(bytes) {
      since += bytes
      if (since >= batchBytes) cut()
    },
    swept: cut,
  }
}

/** `memory`: the file lies in memory and does not outlive its writer. */
export const sqliteRoom = (db: SqliteDatabase, limitBytes: number, memory: boolean): SqliteRoom =>
  memory ? inMemory(db, limitBytes) : onDisk(limitBytes)
