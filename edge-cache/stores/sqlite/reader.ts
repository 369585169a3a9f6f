import { deserializeHead } from '../../entry/serialize.ts'
import { pragmaNumber, type SqliteDatabase } from './driver.ts'
import { prepareReader } from './schema.ts'
import type { CacheReader } from '../store.ts'

interface EntryRow {
  head: string
  body: Uint8Array
  body_bytes: number
}

/**
 * Reading part of the disk layer, for every worker: a read-only connection that
 * waits for no writer (WAL). `limitBytes` is only passed on to the statistics.
 * A row that cannot be read throws: the layer is damaged.
 */
export const createSqliteReader = (
  db: SqliteDatabase,
  options: { limitBytes: number },
): CacheReader => {
  prepareReader(db)
  const select = db.prepare('SELECT head, body, body_bytes FROM entries WHERE id = ?')
  const count = db.prepare("SELECT value FROM meta WHERE name = 'entries'")
  return {
    get(key) {
      const row = select.get(key.id) as EntryRow | undefined
      if (!row) return null
      const bytes = new Uint8Array(row.body)
      const entry = bytes.byteLength === row.body_bytes ? deserializeHead(row.head, bytes) : null
      if (entry?.key.id !== key.id) {
        throw new Error(`The disk cache holds a damaged page under ${key.id}.`)
      }
      return entry
    },
    stats() {
      const row = count.get() as { value: number } | undefined
      const pages = pragmaNumber(db, 'page_count') - pragmaNumber(db, 'freelist_count')
      return {
        entries: row?.value ?? 0,
        bytes: pages * pragmaNumber(db, 'page_size'),
        limitBytes: options.limitBytes,
        evictions: 0,
      }
    },
  }
}
