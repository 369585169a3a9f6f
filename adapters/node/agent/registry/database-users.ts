import type Database from 'better-sqlite3'
import type { DatabaseEngine } from '#handlers/ports/store/records.ts'
import type { RegisteredDatabaseUser, RegisteredGrant, Registry } from './types.ts'

type DatabaseUsers = Pick<
  Registry,
  | 'databaseUser'
  | 'databaseUsersOf'
  | 'databaseUsers'
  | 'putDatabaseUser'
  | 'renameDatabaseUser'
  | 'removeDatabaseUser'
>

interface UserRow {
  engine: DatabaseEngine
  user: string
  username: string
  locked: number
  grants: string
}

const fromRow = (row: UserRow): RegisteredDatabaseUser => ({
  ...row,
  locked: row.locked === 1,
  // Only this class of rows writes the column, so its JSON is a list of grants by construction.
  grants: JSON.parse(row.grants) as RegisteredGrant[],
})

/** Further users of databases over an opened and migrated registry database. */
export const createDatabaseUserRecords = (db: Database.Database): DatabaseUsers => {
  const one = db.prepare<[string, string], UserRow>(
    'select * from database_users where engine = ? and user = ?',
  )
  const of = db.prepare<[string], UserRow>(
    'select * from database_users where username = ? order by engine, user',
  )
  const all = db.prepare<[], UserRow>('select * from database_users order by engine, user')
  const put = db.prepare<[string, string, string, number, string]>(
    `insert into database_users (engine, user, username, locked, grants) values (?, ?, ?, ?, ?)
     on conflict (engine, user) do update set locked = excluded.locked, grants = excluded.grants
     where username = excluded.username`,
  )
  const rename = db.prepare<[string, string, string]>(
    'update database_users set user = ? where engine = ? and user = ?',
  )
  const remove = db.prepare<[string, string]>(
    'delete from database_users where engine = ? and user = ?',
  )
  return {
    databaseUser: (engine, user) => {
      const row = one.get(engine, user)
      return row ? fromRow(row) : null
    },
    databaseUsersOf: (username) => of.all(username).map(fromRow),
    databaseUsers: () => all.all().map(fromRow),
    putDatabaseUser: ({ engine, user, username, locked, grants }) =>
      void put.run(engine, user, username, locked ? 1 : 0, JSON.stringify(grants)),
    renameDatabaseUser: (engine, from, to) => void rename.run(to, engine, from),
    removeDatabaseUser: (engine, user) => void remove.run(engine, user),
  }
}
