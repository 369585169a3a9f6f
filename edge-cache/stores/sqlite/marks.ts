import { DEFAULT_MAX_MARKS, type PurgeMarkSnapshot } from '../../purge/marks.ts'
import type { MarkSetSnapshot } from '../../purge/mark-set.ts'
import type { PurgeLog } from '../../purge/purge-sequencer.ts'
import type { PurgeScope } from '../../types.ts'
import { inTransaction, type SqliteDatabase } from './driver.ts'

type ScopedKind = Exclude<PurgeScope['kind'], 'all'>
/** Soft marks lie beside the hard ones: one page may have both. */
type MarkKind = ScopedKind | `soft-${ScopedKind}`

interface MarkRow {
  kind: MarkKind
  name: string
  sequence: number
}

const nameOf = (scope: Exclude<PurgeScope, { kind: 'all' }>): string =>
  scope.kind === 'tag' ? scope.tag : scope.kind === 'key' ? scope.id : scope.prefix

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
  const dropSoft = db.prepare("DELETE FROM marks WHERE sequence <= ? AND kind LIKE 'soft-%'")

  const valueOf = (row: unknown): number => (row as { value: number } | undefined)?.value ?? 0
  let marks = valueOf(count.get())
  const raiseFloor = (sequence: number): void => {
    raise.run(sequence, 'floor')
    // What is dead need not be stale as well.
    drop.run(sequence)
  }
  const raiseSoftFloor = (sequence: number): void => {
    raise.run(sequence, 'soft-floor')
    dropSoft.run(sequence)
  }
  const bound = (): void => {
    marks = valueOf(count.get())
    if (marks <= maxMarks) return
    const row = oldest.get(Math.floor(maxMarks / 2)) as { sequence: number } | undefined
    if (row) raiseFloor(row.sequence)
    marks = valueOf(count.get())
  }
  const save = (scope: PurgeScope, sequence: number, atMs: number): void => {
    if (scope.kind === 'all') {
      if (scope.soft === true) raiseSoftFloor(sequence)
      else raiseFloor(sequence)
      return
    }
    const kind: MarkKind = scope.soft === true ? `soft-${scope.kind}` : scope.kind
    insert.run(kind, nameOf(scope), sequence, atMs)
    marks++
  }

  return {
    loadMarks(): PurgeMarkSnapshot {
      const rows = all.all() as MarkRow[]
      const of = (kind: MarkKind): [string, number][] =>
        rows.filter((row) => row.kind === kind).map((row) => [row.name, row.sequence])
      const soft: MarkSetSnapshot = {
        floor: valueOf(number.get('soft-floor')),
        tags: of('soft-tag'),
        keys: of('soft-key'),
        prefixes: of('soft-prefix'),
      }
      return {
        sequence: valueOf(number.get('sequence')),
        floor: valueOf(number.get('floor')),
        tags: of('tag'),
        keys: of('key'),
        prefixes: of('prefix'),
        soft,
      }
    },
    saveMarks({ sequence, scopes, atMs }) {
      db.pragma('synchronous = FULL')
      try {
        inTransaction(db, () => {
          raise.run(sequence, 'sequence')
          for (const scope of scopes) save(scope, sequence, atMs)
          // `marks` counts repeated names too; the exact count is taken only near the bound.
          if (marks > maxMarks) bound()
        })
      } finally {
        db.pragma('synchronous = NORMAL')
      }
    },
  }
}
