import type Database from 'better-sqlite3'
import type { StoreSide, StoreTable, StoredRow } from './store-side.ts'

const quoted = (name: string): string => `"${name}"`
const listed = (names: readonly string[]): string => names.map(quoted).join(', ')

interface Column {
  name: string
  pk: number
}

/** The side of a SQLite file, in whose transaction it works. */
export const sqliteSide = (db: Database.Database): StoreSide => {
  const withoutRowid = new Set(
    db
      .prepare<[], { name: string; wr: number }>('PRAGMA table_list')
      .all()
      .flatMap(({ name, wr }) => (wr === 1 ? [name] : [])),
  )
  const tableOf = (name: string, sql: string): StoreTable => {
    const columns = db
      .prepare<[string], Column>('SELECT name, pk FROM pragma_table_info(?)')
      .all(name)
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    const refers = db
      .prepare<[string], { table: string }>(
        'SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)',
      )
      .all(name)
    return {
      name,
      columns: columns.map((column) => column.name),
      key: (key.length > 0 ? key : columns).map((column) => column.name),
      numbered: sql.includes('AUTOINCREMENT'),
      refersTo: refers.map(({ table }) => table),
    }
  }
  return {
    tables: async () =>
      db
        .prepare<[], { name: string; sql: string }>(
          `SELECT name, sql FROM sqlite_schema WHERE type = 'table'
            AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name <> 'schema_versions' ORDER BY name`,
        )
        .all()
        .map(({ name, sql }) => tableOf(name, sql)),
    async *rows({ name, columns, key }, asMade) {
      const order = asMade && !withoutRowid.has(name) ? 'rowid' : listed(key)
      yield* db
        .prepare<[], StoredRow>(`SELECT ${listed(columns)} FROM ${quoted(name)} ORDER BY ${order}`)
        .raw()
        .iterate()
    },
    async clear({ name }) {
      db.prepare(`DELETE FROM ${quoted(name)}`).run()
    },
    async insert({ name, columns }, rows) {
      const statement = db.prepare(
        `INSERT INTO ${quoted(name)} (${listed(columns)}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      for (const row of rows) statement.run(...row)
    },
    async highest({ name }) {
      const found = db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').pluck().get(name)
      return Number(found ?? 0)
    },
    async setHighest({ name }, highest) {
      db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name)
      if (highest > 0)
        db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, highest)
    },
  }
}
