import type { Timestamp } from '../store/records.ts'

/** A key that opens an account. */
export interface SftpLoginKey {
  /** Its number in the panel, by which log-ins tell that it was this one. */
  id: number
  /** Type and base64, without options or comment. */
  publicKey: string
  /** UTC; null: it does not expire. */
  expiresAt: Timestamp | null
}

/** A user of an account for one folder of its home. */
export interface SftpFolderUser {
  /** `<account>_` and 1-15 letters and digits. */
  name: string
  /** Below the home, without needless segments. */
  folder: string
  /** Whether its own password opens it. */
  passwords: boolean
  readOnly: boolean
  keys: readonly SftpLoginKey[]
}

/** How the accounts of this host are reached. */
export interface SftpDetails {
  available: boolean
  /** Why they are not; null where they are. */
  reason: string | null
  /** Name to connect to, where the configuration has one. */
  host: string | null
  /** The first is the one to tell owners. */
  ports: number[]
  hostKeys: { type: string; fingerprint: string }[]
}

/** Somebody who logged in, as the host saw it. */
export interface HostLogin {
  /** A UUID. */
  id: string
  /** Grows with each change of any of them. */
  version: number
  /** Whose. */
  account: string
  /** The name that was logged in with. */
  username: string
  beganAt: Timestamp
  /** Null: it goes on. */
  endedAt: Timestamp | null
  /** IP address; null where the client went before it asked for anything. */
  address: string | null
  way: 'key' | 'password'
  /** Null: by the password. */
  keyId: number | null
  /** Files and directories that were made, renamed, removed or set otherwise. */
  changes: number
  /** Written to files. */
  receivedBytes: number
  /** Read from files. */
  sentBytes: number
}

/** Log-ins of accounts over SFTP, at the host's own sshd. */
export interface SftpPort {
  /** Also where there is no SFTP; never fails for that. */
  details(): Promise<SftpDetails>
  /**
   * Makes these the log-ins of an account, and no others. Of a suspended one they count
   * once that is lifted. Repeatable. 400 for what is no key, name or folder, 409 for a name of a user that is somebody else's, 404 for an unknown account,
   * 503 where there is no SFTP.
   */
  setLogins(input: {
    username: string
    /** Whether the account's password opens it, too. */
    passwords: boolean
    keys: readonly SftpLoginKey[]
    /** Its users for one folder each, and no others; one whose folder is not there gets nowhere. */
    users: readonly SftpFolderUser[]
    /** Whether it gets a shell; what is taken from it ends at once. */
    shell: boolean
  }): Promise<void>
  /** Why an account that has a shell gets none; null: it does. Also where there is no SFTP. */
  shellProblem(input: { username: string }): Promise<{ problem: string | null }>
  /** 404 for an unknown account or user. */
  setUserPassword(input: { username: string; name: string; password: string }): Promise<void>
  /** Why users of an account get nowhere; null: they do. Also where there is no SFTP. */
  userProblems(input: { username: string }): Promise<{ name: string; problem: string | null }[]>
  /**
   * Log-ins that changed after that version, the first 500 in this order; what the caller
   * has of ended ones may be dropped. Also where there is no SFTP.
   */
  seenLogins(input: { after: number }): Promise<HostLogin[]>
}
