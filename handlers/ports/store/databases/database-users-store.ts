import type { DatabaseRights } from '../../host/databases/database-users.ts'
import type { DatabaseEngine, OperationRow, Timestamp } from '../records.ts'

/** Rights in the database of this id. */
export interface DatabaseGrantRow {
  database_id: number
  rights: DatabaseRights
}

/** A user of an account's databases beside the one that each was made with. */
export interface DatabaseUserRow {
  id: number
  account_id: number
  engine: DatabaseEngine
  /** Full name, `<username>_<name>`. */
  name: string
  created_at: Timestamp
  grants: DatabaseGrantRow[]
}

/** Part of the store: further users of databases. They go with the last database that they may use. */
export interface DatabaseUsersStore {
  /** Oldest first. */
  listDatabaseUsers(accountId: number): Promise<DatabaseUserRow[]>
  /** `'limit'` when the account has `limit` of them (null: no limit), `'duplicate'` when a user of either kind has the name; else the operation is open too. */
  insertDatabaseUser(
    row: Omit<DatabaseUserRow, 'id'>,
    operation: OperationRow,
    limit: number | null,
  ): Promise<'made' | 'duplicate' | 'limit'>
  /** Replaces the rights. */
  setDatabaseGrants(id: number, grants: readonly DatabaseGrantRow[]): Promise<void>
  /** The record alone; what is gone meanwhile is no error. */
  renameDatabaseUser(id: number, name: string): Promise<void>
  /** Gone already: no error. */
  deleteDatabaseUser(id: number): Promise<void>
  /** Renames the user that a database was made with. */
  renameDatabaseOwner(databaseId: number, user: string): Promise<void>
}
