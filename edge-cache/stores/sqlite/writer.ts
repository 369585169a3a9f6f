import { keepUntilMs } from '../../entry/entry.ts'
import type { PurgeLog } from '../../purge/purge-sequencer.ts'
import { serializeBodies, serializeHead } from '../../entry/serialize.ts'
import type { CacheEntry, PurgeMarks, StoreStats } from '../../types.ts'
import { inTransaction, pragmaNumber, type SqliteDatabase } from './driver.ts'
import { createSqliteMarks } from './marks.ts'
import { sqliteRoom } from './size-limit.ts'
import { prepareWriter } from './schema.ts'
import type { CacheWriter } from '../store.ts'
import { createSqliteSites, type SqliteSites } from './sites.ts'
import { createSqliteSweep } from './sweep.ts'
import { siteTagOf } from '../../purge/tags.ts'

/** Writing part of the disk layer, and the durable purge marks. */
export interface SqliteWriter extends CacheWriter, PurgeLog, SqliteSites {
  /**
   * Settles when the page is in the file; what waits is written together. True when it
   * stands in the place of another one.
   */
  put(entry: CacheEntry): Promise<boolean>
  /** Settles when it is out of the file; true when there was one. */
  delete(key: { id: string }): Promise<boolean>
  /** Deletes some expired and purged rows and gives free pages back. Call it every second, and sooner while there is more. */
  sweep(marks: PurgeMarks, nowMs: number): number
  /** Whether the last sweep left something to do. */
  hasMoreToSweep(): boolean
  /** Empties the layer; the marks stay. */
  clear(): void
  /** Writes what waits, now. */
  flush(): void
  /** Of what is in the file; what waits to be written is not counted. */
  stats(): StoreStats
}

interface Waiting {
  /** Null deletes. */
  entry: CacheEntry | null
  /** Whether it has taken the place of one that waited as well. */
  replaces: boolean
  settle: { resolve: (replaced: boolean) => void; reject: (error: unknown) => void }[]
}

const bodyBytes = (entry: CacheEntry | null): number =>
  entry === null
    ? 0
    : (entry.encodings ?? []).reduce(
        (sum, { body }) => sum + body.byteLength,
        entry.body.byteLength,
      )

/** Rows per transaction, so that a purge that is to be kept does not wait long for its turn. */
const BATCH_ROWS = 32
/** Rows evicted at once when the limit is reached. */
const EVICT_ROWS = 16
const EVICT_ROUNDS = 16

/**
 * One process only. `limitBytes` bounds the pages in use, and thus the file,
 * which may be larger by one batch and the write-ahead log (16 MiB); with `memory`
 * it bounds all of it (see `sqliteRoom`). The pages stored first go first. Purged
 * entries that arrive late are not stored.
 */
export const createSqliteWriter = (
  db: SqliteDatabase,
  options: { limitBytes: number; memory?: boolean; marks?: PurgeMarks; maxMarks?: number },
): SqliteWriter => {
  prepareWriter(db)
  const room = sqliteRoom(db, options.limitBytes, options.memory ?? false)
  const limitBytes = room.pageBytes
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
  const makeRoom = (forBytes = 0): void => {
    // Bounded: a limit that was lowered is reached over several rounds.
    for (let round = 0; round < EVICT_ROUNDS && usedBytes() + forBytes > limitBytes; round++) {
      const gone = Number(evict.run(EVICT_ROWS).changes)
      if (gone === 0) return
      evictions += gone
      changed(-gone)
    }
  }
  /** Whether there was one of that id. */
  const write = (id: string, entry: CacheEntry | null): boolean => {
    const gone = Number(remove.run(id).changes)
    changed(-gone)
    if (!entry || entry.body.byteLength > limitBytes / 8) return gone > 0
    if (options.marks?.isPurged(entry)) return gone > 0
    const { sequence, tags } = entry
    const body = serializeBodies(entry)
    if (options.memory === true) {
      // Bodies in other codings count as well: all of it has to fit into the log.
      if (body.byteLength > limitBytes / 8) return gone > 0
      makeRoom(body.byteLength)
    }
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
    return gone > 0
  }
  const writeBatch = (batch: readonly (readonly [string, Waiting])[], bytes: number): void => {
    const entriesBefore = entries
    try {
      const replaced: boolean[] = []
      inTransaction(db, () => {
        for (const [id, item] of batch) replaced.push(write(id, item.entry))
        makeRoom()
      })
      room.written(bytes)
      for (const [at, [, { settle, replaces }]] of batch.entries())
        for (const { resolve } of settle) resolve(replaces || replaced[at] === true)
    } catch (error) {
      entries = entriesBefore
      for (const [, { settle }] of batch) for (const { reject } of settle) reject(error)
    }
  }
  const flush = (): void => {
    const work = [...waiting]
    waiting = new Map()
    const { batchBytes } = room
    let batch: [string, Waiting][] = []
    let bytes = 0
    const end = (): void => {
      if (batch.length > 0) writeBatch(batch, bytes)
      batch = []
      bytes = 0
    }
    for (const item of work) {
      const more = room.logged(bodyBytes(item[1].entry))
      if (batch.length === BATCH_ROWS || (batchBytes !== null && bytes + more > batchBytes)) end()
      batch.push(item)
      bytes += more
    }
    end()
  }
  const enqueue = (id: string, entry: CacheEntry | null): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const before = waiting.get(id)
      const settle = [...(before?.settle ?? []), { resolve, reject }]
      waiting.set(id, { entry, settle, replaces: before !== undefined })
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
      db.pragma(`incremental_vacuum(${room.vacuumPages})`)
      room.swept()
      return removed
    },
    hasMoreToSweep: () => rowSweep.hasMore(),
    clear() {
      for (const { settle } of waiting.values()) for (const { resolve } of settle) resolve(false)
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
