import type { PurgeMarkSnapshot } from '../marks.ts'
import { DEFAULT_MAX_MARKS } from '../marks.ts'
import type { PurgeLog } from '../purge-sequencer.ts'
import { inTransaction, type SqliteDatabase } from './sqlite-driver.ts'

interface MarkRow {
  kind: 'tag' | 'key'
  name: string
  sequence: number
}

/**
 * Purge marks beside the pages they are about, so that both are lost or kept
 * together. A mark is on the disk (synced) before `saveMarks` returns. Bounded
 * like the marks in memory: the oldest go, and the floor rises to them.
 */
export const createSqliteMarks = (
  db: SqliteDatabase,
  options: { maxMarks?: number } = {},
): PurgeLog => {
  const maxMarks = options.maxMarks ?? 2 * DEFAULT_MAX_MARKS
  const number = db.prepare('SELECT value FROM meta WHERE name = ?')
  const raise = db.prepare('UPDATE meta SET value = max(value, ?) WHERE name = ?')
  const all = db.prepare('SELECT kind, name, sequence FROM marks ORDER BY sequence')
  const insert = db.prepare(
    `INSERT INTO marks (kind, name, sequence, at_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, name) DO UPDATE SET sequence = max(sequence, excluded.sequence), at_ms = excluded.at_ms`,
  )
  const count = db.prepare('SELECT count(*) AS value FROM marks')
  const oldest = db.prepare('SELECT sequence FROM marks ORDER BY sequence LIMIT 1 OFFSET ?')
  const drop = db.prepare('DELETE FROM marks WHERE sequence <= ?')

  const valueOf = (row: unknown): number => (row as { value: number } | undefined)?.value ?? 0
  let marks = valueOf(count.get())
  const raiseFloor = (sequence: number): void => {
    raise.run(sequence, 'floor')
    drop.run(sequence)
  }
  const bound = (): void => {
    marks = valueOf(count.get())
    if (marks <= maxMarks) return
    const row = oldest.get(Math.floor(maxMarks / 2)) as { sequence: number } | undefined
    if (row) raiseFloor(row.sequence)
    marks = valueOf(count.get())
  }

  return {
    loadMarks(): PurgeMarkSnapshot {
      const rows = all.all() as MarkRow[]
      const of = (kind: MarkRow['kind']): [string, number][] =>
        rows.filter((row) => row.kind === kind).map((row) => [row.name, row.sequence])
      return {
        sequence: valueOf(number.get('sequence')),
        floor: valueOf(number.get('floor')),
        tags: of('tag'),
        keys: of('key'),
      }
    },
    saveMarks({ sequence, scopes, atMs }) {
      db.pragma('synchronous = FULL')
      try {
        inTransaction(db, () => {
          raise.run(sequence, 'sequence')
          for (const scope of scopes) {
            if (scope.kind === 'all') raiseFloor(sequence)
            else {
              insert.run(scope.kind, scope.kind === 'tag' ? scope.tag : scope.id, sequence, atMs)
              marks++
            }
          }
          // `marks` counts repeated names too; the exact count is taken only near the bound.
          if (marks > maxMarks) bound()
        })
      } finally {
        db.pragma('synchronous = NORMAL')
      }
    },
  }
}
