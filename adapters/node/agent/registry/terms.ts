import type Database from 'better-sqlite3'

/** The latest turn in which each subject was changed here, as panels number them. */
export interface TermRecords {
  /**
   * Whether a change of this turn comes too late: null when it does not, and no earlier turn
   * counts from then on; else the term of the later turn.
   */
  overtaken(turn: { subject: string; term: number }): number | null
}

/** Terms ascend over all subjects, so what is dropped first was changed longest ago. */
const KEEP = 100_000

/** Rows over an opened and migrated registry database. */
export const createTermRecords = (db: Database.Database, keep = KEEP): TermRecords => {
  const find = db.prepare<[string], { term: number }>('select term from terms where subject = ?')
  const put = db.prepare<[string, number]>(
    `insert into terms (subject, term) values (?, ?)
     on conflict (subject) do update set term = excluded.term`,
  )
  db.prepare<[number]>(
    `delete from terms where term <= (select term from terms order by term desc limit 1 offset ?)`,
  ).run(keep)
  return {
    overtaken({ subject, term }) {
      const known = find.get(subject)?.term
      if (known !== undefined && known > term) return known
      // Most calls are of a turn that is known: they cost no write.
      if (known !== term) put.run(subject, term)
      return null
    },
  }
}
