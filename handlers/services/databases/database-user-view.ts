import type { DatabaseGrant } from '../../ports/host/databases/database-users.ts'
import type { DatabaseUserRow } from '../../ports/store/databases/database-users-store.ts'
import type { DatabaseEngine, DatabaseRow } from '../../ports/store/records.ts'

/** A further user as the API lists it. */
export interface DatabaseUserView {
  engine: DatabaseEngine
  user: string
  /** Where its databases are, for applications on this host. */
  host: string
  databases: DatabaseGrant[]
  created_at: string
}

/** How the list of them is searched and sorted. */
export const LISTED_USERS = {
  searched: ({ user, databases }: DatabaseUserView) => [
    user,
    ...databases.map(({ database }) => database),
  ],
  sortable: {
    user: ({ user }: DatabaseUserView) => user,
    engine: ({ engine }: DatabaseUserView) => engine,
    databases: ({ databases }: DatabaseUserView) => databases.length,
    created_at: ({ created_at }: DatabaseUserView) => created_at,
  },
}

/** A further user with the names of its databases, of which `databases` are those that there are. */
export const databaseUserView = (
  row: DatabaseUserRow,
  databases: readonly DatabaseRow[],
): DatabaseUserView => {
  const mine = row.grants.flatMap(({ database_id, rights }) => {
    const database = databases.find(({ id }) => id === database_id)
    return database === undefined ? [] : [{ database, rights }]
  })
  return {
    engine: row.engine,
    user: row.name,
    host: mine[0]?.database.host ?? 'localhost',
    databases: mine.map(({ database, rights }) => ({ database: database.database_name, rights })),
    created_at: row.created_at,
  }
}
