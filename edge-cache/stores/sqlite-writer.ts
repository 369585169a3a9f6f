import { keepUntilMs } from '../entry.ts'
import type { PurgeLog } from '../purge-sequencer.ts'
import { serializeBodies, serializeHead } from '../serialize.ts'
import type { CacheEntry, PurgeMarks, StoreStats } from '../types.ts'
import { inTransaction, pragmaNumber, type SqliteDatabase } from './sqlite-driver.ts'
import { createSqliteMarks } from './sqlite-marks.ts'
import { prepareWriter } from './sqlite-schema.ts'
import type { CacheWriter } from './store.ts'
import { createSqliteSites, type SqliteSites } from './sqlite-sites.ts'
import { createSqliteSweep } from './sqlite-sweep.ts'
import { siteTagOf } from '../tags.ts'

/** Writing part of the disk layer, and the durable purge marks. */
export interface SqliteWriter extends CacheWriter, PurgeLog, SqliteSites {
  /** Settles when the page is in the file; what waits is written together. */
  put(entry: CacheEntry): Promise<void>
  delete(key: { id: string }): Promise<void>
  /** Deletes some expired and purged rows and gives free pages back. Call it every second, and sooner while there is more. */
  sweep(marks: PurgeMarks, nowMs: number): number
  /** Whether the last sweep left something to do. */
  hasMoreToSweep(): boolean
  /** Empties the layer; the marks stay. */
  clear(): void
  /** Writes what waits, now. */
  flush(): void
  stats(): StoreStats
}

interface Waiting {
  /** Null deletes. */
  entry: CacheEntry | null
  settle: { resolve: () => void; reject: (error: unknown) => void }[]
}

/** Rows per transaction, so that a purge that is to be kept does not wait long for its turn. */
const BATCH_ROWS = 32
/** Rows evicted at once when the limit is reached. */
const EVICT_ROWS = 16
const EVICT_ROUNDS = 16

/**
 * One process only. `limitBytes` bounds the pages in use, and thus the file,
 * which may be larger by one batch and the write-ahead log (16 MiB); the pages
 * stored first go first. Purged entries that arrive late are not stored.
 */
export const createSqliteWriter = (
  db: SqliteDatabase,
  options: { limitBytes: number; marks?: PurgeMarks; maxMarks?: number },
): SqliteWriter => {
  prepareWriter(db)
  const { limitBytes } = options
  const insert = db.prepare(
    'INSERT INTO entries (id, site, sequence, expires_at_ms, body_bytes, tags, head, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const remove = db.prepare('DELETE FROM entries WHERE id = ?')
  const evict = db.prepare(
    'DELETE FROM entries WHERE row IN (SELECT row FROM entries ORDER BY row LIMIT ?)',
  )
  const count = db.prepare('SELECT count(*) AS value FROM entries')
  const saveCount = db.prepare("UPDATE meta SET value = ? WHERE name = 'entries'")
  const pageSize = pragmaNumber(db, 'page_size')
  const rowSweep = createSqliteSweep(db)

  let waiting = new Map<string, Waiting>()
  let scheduled = false
  let evictions = 0
  let entries = (count.get() as { value: number }).value

  const usedBytes = (): number =>
    (pragmaNumber(db, 'page_count') - pragmaNumber(db, 'freelist_count')) * pageSize
  const changed = (by: number): void => {
    entries += by
    saveCount.run(entries)
  }
  const makeRoom = (): void => {
    // Bounded: a limit that was lowered is reached over several rounds.
    for (let round = 0; round < EVICT_ROUNDS && usedBytes() > limitBytes; round++) {
      const gone = Number(evict.run(EVICT_ROWS).changes)
      if (gone === 0) return
      evictions += gone
      changed(-gone)
    }
  }
  const write = (id: string, entry: CacheEntry | null): void => {
    changed(-Number(remove.run(id).changes))
    if (!entry || entry.body.byteLength > limitBytes / 8) return
    if (options.marks?.isPurged(entry)) return
    const { sequence, tags } = entry
    const body = serializeBodies(entry)
    insert.run(
      id,
      siteTagOf(tags),
      sequence,
      keepUntilMs(entry),
      body.byteLength,
      tags.join(' '),
      serializeHead(entry),
      body,
    )
    changed(1)
  }
  const writeBatch = (batch: readonly (readonly [string, Waiting])[]): void => {
    const settles = batch.flatMap(([, item]) => item.settle)
    const entriesBefore = entries
    try {
      inTransaction(db, () => {
        for (const [id, item] of batch) write(id, item.entry)
        makeRoom()
      })
      for (const { resolve } of settles) resolve()
    } catch (error) {
      entries = entriesBefore
      for (const { reject } of settles) reject(error)
    }
  }
  const flush = (): void => {
    const work = [...waiting]
    waiting = new Map()
    for (let i = 0; i < work.length; i += BATCH_ROWS) writeBatch(work.slice(i, i + BATCH_ROWS))
  }
  const enqueue = (id: string, entry: CacheEntry | null): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = [...(waiting.get(id)?.settle ?? []), { resolve, reject }]
      waiting.set(id, { entry, settle })
      if (scheduled) return
      scheduled = true
      // Entries that arrive in the same turn of the event loop share a transaction.
      setTimeout(() => {
        scheduled = false
        flush()
      }, 0)
    })

  return {
    ...createSqliteSites(db),
    ...createSqliteMarks(db, options.maxMarks === undefined ? {} : { maxMarks: options.maxMarks }),
    put: (entry) => enqueue(entry.key.id, entry),
    delete: (key) => enqueue(key.id, null),
    sweep(marks, nowMs) {
      const removed = inTransaction(db, () => {
        const rows = rowSweep.round(marks, nowMs)
        if (rows > 0) changed(-rows)
        makeRoom()
        return rows
      })
      db.pragma('incremental_vacuum(256)')
      return removed
    },
    hasMoreToSweep: () => rowSweep.hasMore(),
    clear() {
      for (const { settle } of waiting.values()) for (const { resolve } of settle) resolve()
      waiting = new Map()
      inTransaction(db, () => {
        db.exec('DELETE FROM entries')
        changed(-entries)
      })
    },
    flush,
    stats: () => ({ entries, bytes: usedBytes(), limitBytes, evictions }),
  }
}
