import type { PurgeMarks } from '../../types.ts'
import { MarkWalk } from '../mark-walk.ts'
import type { SqliteDatabase } from './driver.ts'

/** Rows deleted per round, and rows looked at for purges with their tags: a round takes milliseconds. */
const DELETE_ROWS = 64
const LOOK_ROWS = 512
const LOOK_TAGS = 20_000

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
  const marked = new MarkWalk()
  let expiredFull = false

  const walk = (marks: PurgeMarks): number => {
    if (cursor === 0) marked.begin(marks)
    if (!marked.looks) return 0
    const dead: number[] = []
    let rows = 0
    let tags = 0
    // Deleted afterwards: nothing else may be asked of the connection meanwhile.
    for (const one of look.iterate(cursor, LOOK_ROWS) as IterableIterator<SweptRow>) {
      cursor = one.row
      rows++
      const own = one.tags.split(' ')
      tags += own.length
      const key = { host: '', path: '', id: one.id }
      if (marks.isPurged({ key, sequence: one.sequence, tags: own })) dead.push(one.row)
      if (dead.length === DELETE_ROWS || tags >= LOOK_TAGS) break
    }
    for (const row of dead) remove.run(row)
    const isFull = rows === LOOK_ROWS || dead.length === DELETE_ROWS || tags >= LOOK_TAGS
    if (!isFull) {
      cursor = 0
      marked.end()
    }
    return dead.length
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
