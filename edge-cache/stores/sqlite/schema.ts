import { inTransaction, pragmaNumber, type SqliteDatabase } from './driver.ts'

/** Grows with every change of the tables or of what is in them; another version is thrown away. */
export const SQLITE_CACHE_VERSION = 4

const TABLES = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE entries (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    site TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    body_bytes INTEGER NOT NULL,
    tags TEXT NOT NULL,
    head TEXT NOT NULL,
    body BLOB NOT NULL
  );
  CREATE INDEX entries_expiry ON entries (expires_at_ms);
  CREATE INDEX entries_site ON entries (site, body_bytes);
  CREATE TABLE marks (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
  ) WITHOUT ROWID;
  CREATE INDEX marks_age ON marks (sequence);
  INSERT INTO meta VALUES ('sequence', 0), ('floor', 0), ('soft-floor', 0), ('entries', 0);
`

const recreate = (db: SqliteDatabase): void => {
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'",
    )
    .all() as { name: string }[]
  inTransaction(db, () => {
    for (const { name } of tables) db.exec(`DROP TABLE "${name.replaceAll('"', '""')}"`)
    db.exec(TABLES)
    db.pragma(`user_version = ${SQLITE_CACHE_VERSION}`)
  })
}

/**
 * Makes a database ready for the one writing process: WAL, commits without a
 * sync (a power cut may lose the last pages, never damage the file), and tables
 * of this version; those of another version are dropped with what they hold.
 * Throws what the driver throws when the file is damaged (`isCorruptDatabase`).
 */
export const prepareWriter = (db: SqliteDatabase): void => {
  db.pragma('busy_timeout = 2000')
  // Takes effect only while the file is empty; freed pages can so be given back.
  db.pragma('auto_vacuum = INCREMENTAL')
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma('journal_size_limit = 16777216')
  db.pragma('temp_store = MEMORY')
  if (pragmaNumber(db, 'user_version') !== SQLITE_CACHE_VERSION) recreate(db)
}

/** Makes a read-only connection ready; throws when the tables are not of this version (yet). */
export const prepareReader = (db: SqliteDatabase): void => {
  db.pragma('busy_timeout = 50')
  const version = pragmaNumber(db, 'user_version')
  if (version !== SQLITE_CACHE_VERSION) {
    throw new Error(
      `The disk cache has tables of version ${version}, not ${SQLITE_CACHE_VERSION}; its writer has to open it first.`,
    )
  }
}
