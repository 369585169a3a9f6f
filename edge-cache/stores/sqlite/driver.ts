/**
 * The part of better-sqlite3's `Database` that the disk layer needs, by shape,
 * so that this library imports no driver and runs where there is none.
 */
export interface SqliteStatement {
  /** For what returns no rows; `changes` counts those it touched. */
  run(...values: unknown[]): { changes: number | bigint }
  /** The first row, by name of column; undefined when there is none. */
  get(...values: unknown[]): unknown
  /** All rows at once. */
  all(...values: unknown[]): unknown[]
  /** Row by row; nothing else may be asked of the connection until it is through. */
  iterate(...values: unknown[]): IterableIterator<unknown>
}

/** An open database. */
export interface SqliteDatabase {
  /** Throws for a statement that is none. */
  prepare(sql: string): SqliteStatement
  /** Runs statements without values, several at once. */
  exec(sql: string): unknown
  /** `source` as behind `PRAGMA`; with `simple` the first value of the first row. */
  pragma(source: string, options?: { simple?: boolean }): unknown
}

/** A pragma's single value as a number; 0 when it has none. */
export const pragmaNumber = (db: SqliteDatabase, name: string): number => {
  const value = db.pragma(name, { simple: true })
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0
}

/** Runs `work` as one write transaction. */
export const inTransaction = <T>(db: SqliteDatabase, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has rolled back by itself after a full disk; a second time is an error of no interest.
    try {
      db.exec('ROLLBACK')
    } catch {
      // The first error is the one to report.
    }
    throw error
  }
}

/** Whether the file is damaged or no database: the owner deletes it and starts afresh. */
export const isCorruptDatabase = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(error.code)
