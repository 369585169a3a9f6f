import type { ListQuery, Page } from '../list-query.ts'
import type { Timestamp } from '../records.ts'

/** What a key may do at the repository of an application; `write`: also push to it. */
export const KEY_ACCESSES = ['read', 'write'] as const
/** One of `KEY_ACCESSES`. */
export type KeyAccess = (typeof KEY_ACCESSES)[number]

/** A public key that opens an account over SFTP. */
export interface SshKeyRow {
  id: number
  account_id: number
  /** The user for one folder that it opens; null: the account itself. */
  sftp_user_id: number | null
  /** The application whose repository it opens, and nothing beside it; null: no such. */
  application_id: number | null
  /** At that repository; null where it is for none. */
  access: KeyAccess | null
  name: string
  /** E.g. `ssh-ed25519`. */
  type: string
  /** Type and base64. */
  public_key: string
  /** `SHA256:…`; one of each for what it opens. */
  fingerprint: string
  /** UTC; null: it does not expire. */
  expires_at: Timestamp | null
  created_at: Timestamp
  /** When somebody last came in with it; null: nobody yet, as far as it is known. */
  last_used_at: Timestamp | null
}

/** A key with its account's name. */
export interface ListedSshKey extends SshKeyRow {
  username: string
  /** The name that it opens. */
  login: string
  /** Of the application whose repository it opens; null: no such. */
  application: string | null
}

/** Part of the store: log-ins over SFTP. */
export interface SftpStore {
  /** By name unless the query says otherwise. */
  listSshKeys(query?: ListQuery): Promise<Page<ListedSshKey>>
  /** Null when there is none, or no longer. */
  sshKey(id: number): Promise<SshKeyRow | null>
  /** `'limit'` where the account has as many as `limit` (null is none), `'taken'` where it has this one. */
  insertSshKey(
    row: Omit<SshKeyRow, 'id' | 'last_used_at'>,
    limit: number | null,
  ): Promise<SshKeyRow | 'limit' | 'taken'>
  /** A key that is not there is no error. */
  updateSshKey(
    id: number,
    change: Partial<Pick<SshKeyRow, 'name' | 'expires_at' | 'access'>>,
  ): Promise<void>
  /** A key that is not there is no error. */
  deleteSshKey(id: number): Promise<void>
  /** Whether the account's password opens it, too; it does unless somebody said otherwise. */
  sftpPasswords(accountId: number): Promise<boolean>
  /** Replaces what was said before. */
  setSftpPasswords(accountId: number, wanted: boolean): Promise<void>
  /** Whether it was said that the account has a shell; nobody said so at first. */
  sftpShell(accountId: number): Promise<boolean>
  /** Replaces what was said before. */
  setSftpShell(accountId: number, wanted: boolean): Promise<void>
}
