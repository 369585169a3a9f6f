import type { ListQuery, Page } from '../list-query.ts'
import type { Timestamp } from '../records.ts'

/** A user of an account for one folder of its home. */
export interface SftpUserRow {
  id: number
  account_id: number
  /** `<account>_<word>`; one of each. */
  name: string
  /** Below the home. */
  folder: string
  /** Whether its own password opens it. */
  passwords: boolean
  read_only: boolean
  created_at: Timestamp
}

/** A user with its account's name, and how many keys it has. */
export interface ListedSftpUser extends SftpUserRow {
  username: string
  keys: number
}

/** Part of the store: users of accounts for one folder each. */
export interface SftpUserStore {
  /** By name unless the query says otherwise. */
  listSftpUsers(query?: ListQuery): Promise<Page<ListedSftpUser>>
  /** Null when there is none, or no longer. */
  sftpUser(id: number): Promise<SftpUserRow | null>
  /** `'limit'` where the account has as many as `limit` (null is none), `'taken'` where the name is. */
  insertSftpUser(
    row: Omit<SftpUserRow, 'id'>,
    limit: number | null,
  ): Promise<SftpUserRow | 'limit' | 'taken'>
  /** One that is not there is no error. */
  updateSftpUser(
    id: number,
    change: Partial<Pick<SftpUserRow, 'folder' | 'passwords' | 'read_only'>>,
  ): Promise<void>
  /** With its keys. One that is not there is no error. */
  deleteSftpUser(id: number): Promise<void>
}
