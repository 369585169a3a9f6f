import type { SftpLoginKind } from '../../host/sftp.ts'
import type { ListQuery, Page } from '../list-query.ts'
import type { Timestamp } from '../records.ts'

/** Somebody who logged in to an account over SSH, or tried to. */
export interface SftpLoginRow {
  id: number
  account_id: number
  /** The host's own name of it. */
  host_id: string
  /** Of what the host told last. */
  version: number
  /** The name that was logged in with. */
  login: string
  began_at: Timestamp
  /** Null: it goes on. */
  ended_at: Timestamp | null
  /** Null: it is not known. */
  address: string | null
  way: 'key' | 'password'
  /** What was asked for first; null: it is not known. */
  kind: SftpLoginKind | null
  /** How many passwords were not taken from `began_at` until `ended_at`; 0: it came in. */
  failures: number
  /** The key, as it was called then; null: by the password, or by a key that was removed meanwhile. */
  key_name: string | null
  fingerprint: string | null
  /** Files and directories that were made, renamed, removed or set otherwise. */
  changes: number
  /** Written to files. */
  received_bytes: number
  /** Read from files. */
  sent_bytes: number
}

/** A log-in with its account's name. */
export interface ListedSftpLogin extends SftpLoginRow {
  username: string
}

/** What bounds the log-ins that are kept. */
export interface LoginBounds {
  /** Of each account, the newest that came in, and as many that failed. */
  perAccount: number
  /** Older ones go. */
  since: Timestamp
}

/** Part of the store: who logged in over SFTP and SSH. */
export interface SftpLoginStore {
  /** The newest first unless the query says otherwise. */
  listSftpLogins(query?: ListQuery): Promise<Page<ListedSftpLogin>>
  /** The highest that there is; 0: none. */
  lastSftpLoginVersion(hostId?: number): Promise<number>
  /**
   * Writes these down, in place of what was known of them, with the last use of their keys
   * (`key_id`), and lets those go that are out of bounds. All of it happens, or nothing.
   */
  recordSftpLogins(
    rows: readonly (Omit<SftpLoginRow, 'id'> & { key_id: number | null })[],
    bounds: LoginBounds,
  ): Promise<void>
}
