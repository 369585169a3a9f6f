import type { PurgeMarks } from '../types.ts'
import type { SqliteDatabase } from './sqlite-driver.ts'

/** Rows deleted per round, and rows looked at for purges: a round takes milliseconds. */
const DELETE_ROWS = 64
const LOOK_ROWS = 512

interface SweptRow {
  row: number
  id: string
  sequence: number
  tags: string
}

/** Cleaning in rounds. */
export interface SqliteSweep {
  /** One round; answers the number of rows deleted. */
  round(marks: PurgeMarks, nowMs: number): number
  /** Whether the last round left something that the next would do. */
  hasMore(): boolean
}

/**
 * Expired rows are found by their index. For purges the table is walked from row
 * to row, once after each purge, over as many rounds as it takes.
 */
export const createSqliteSweep = (db: SqliteDatabase): SqliteSweep => {
  const expired = db.prepare(
    'DELETE FROM entries WHERE row IN (SELECT row FROM entries WHERE expires_at_ms <= ? LIMIT ?)',
  )
  const look = db.prepare(
    'SELECT row, id, sequence, tags FROM entries WHERE row > ? ORDER BY row LIMIT ?',
  )
  const remove = db.prepare('DELETE FROM entries WHERE row = ?')
  let cursor = 0
  /** Marks up to here have been carried out on every row. */
  let sweptSequence = -1
  /** Sequence when the present walk began. */
  let walkSequence = -1
  let expiredFull = false

  const walk = (marks: PurgeMarks): number => {
    if (cursor === 0) {
      if (marks.current() === sweptSequence) return 0
      walkSequence = marks.current()
    }
    const rows = look.all(cursor, LOOK_ROWS) as SweptRow[]
    let removed = 0
    for (const { row, id, sequence, tags } of rows) {
      cursor = row
      const key = { host: '', path: '', id }
      if (!marks.isPurged({ key, sequence, tags: tags.split(' ') })) continue
      remove.run(row)
      if (++removed === DELETE_ROWS) return removed
    }
    if (rows.length < LOOK_ROWS) {
      cursor = 0
      sweptSequence = walkSequence
    }
    return removed
  }
  return {
    round(marks, nowMs) {
      const gone = Number(expired.run(nowMs, DELETE_ROWS).changes)
      expiredFull = gone === DELETE_ROWS
      return gone + walk(marks)
    },
    hasMore: () => expiredFull || cursor > 0,
  }
}
