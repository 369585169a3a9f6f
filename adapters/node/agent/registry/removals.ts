import type Database from 'better-sqlite3'

/** Accounts whose removal was asked for over the link. */
export interface RemovalRecords {
  note(username: string, atSecs: number): void
  /** Whether it was noted at or after the time. */
  isNoted(username: string, sinceSecs: number): boolean
  /** How many different ones were, at or after the time. */
  since(secs: number): number
}

/** Rows over an opened and migrated registry database; each account has one, of its latest removal. */
export const createRemovalRecords = (db: Database.Database): RemovalRecords => {
  const note = db.prepare<[string, number]>(
    `insert into removals (username, at_secs) values (?, ?)
     on conflict (username) do update set at_secs = excluded.at_secs`,
  )
  const find = db.prepare<[string, number], { one: number }>(
    'select 1 as one from removals where username = ? and at_secs >= ?',
  )
  const count = db.prepare<[number], { count: number }>(
    'select count(*) as count from removals where at_secs >= ?',
  )
  return {
    note: (username, atSecs) => void note.run(username, atSecs),
    isNoted: (username, sinceSecs) => find.get(username, sinceSecs) !== undefined,
    since: (secs) => count.get(secs)?.count ?? 0,
  }
}
