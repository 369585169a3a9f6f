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

/** A key that opens the repository of one application alone, for git. */
export interface RepositoryLoginKey extends SftpLoginKey {
  repository: KeyRepository
}

/** What a key may do that opens one repository. */
export interface KeyRepository {
  /** Of the application. */
  name: string
  access: 'pull' | 'push'
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
  /** Those of them at which nobody listens now: sshd does not run, or was not told of them. */
  silentPorts: number[]
  hostKeys: { type: string; fingerprint: string }[]
}

/** What a connection asked for first; `command`: another than those. */
export type SftpLoginKind = 'sftp' | 'shell' | 'scp' | 'rsync' | 'command'

/** Somebody who logged in, or tried to, as the host saw it. */
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
  /** Null: for nothing yet, or it is not known. */
  kind: SftpLoginKind | null
  /**
   * How many passwords were not taken, from `beganAt` until `endedAt`, from this address; 0: it
   * came in. Keys that do not open are no attempt: clients offer all they have.
   */
  failures: number
  /** Null: by the password. */
  keyId: number | null
  /** Files and directories that were made, renamed, removed or set otherwise. */
  changes: number
  /** Written to files. */
  receivedBytes: number
  /** Read from files. */
  sentBytes: number
}

/** What opens an account; nothing else does. */
export interface SftpLogins {
  username: string
  /** Whether the account's password opens it, too. */
  passwords: boolean
  keys: readonly SftpLoginKey[]
  /** Default: none. Apart from the others: a host that does not know of these lets nobody in by them. */
  repositoryKeys?: readonly RepositoryLoginKey[]
  /** Its users for one folder each, and no others; one whose folder is not there gets nowhere. */
  users: readonly SftpFolderUser[]
  /** Whether it gets a shell; what is taken from it ends at once. */
  shell: boolean
  /** Whether it reaches its repositories with git, which needs no shell. Default: false. */
  git?: boolean
}

/** How a name to log in with is opened otherwise than by its `SftpLogins`. */
export interface LoginDifference {
  /** The account, or a user of its for one folder. */
  name: string
  /** Keys that do not open it, or do so in another way: another end, another number. */
  missingKeys: number
  /** Keys, or other lines, that open it beside them. */
  unknownKeys: number
  /** Whether its password opens it although it should not, or the other way round. */
  passwords: boolean
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
  setLogins(input: SftpLogins): Promise<void>
  /**
   * Where the files of the host say something else than this, be it by somebody's hand; names that are
   * opened as they should be are not in it, nor users that one side alone has. Changes nothing.
   * 404 for an unknown account, 503 where there is no SFTP.
   */
  loginDifferences(input: SftpLogins): Promise<LoginDifference[]>
  /** Why an account that has a shell gets none; null: it does. Also where there is no SFTP. */
  shellProblem(input: { username: string }): Promise<{ problem: string | null }>
  /** 404 for an unknown account or user. */
  setUserPassword(input: { username: string; name: string; password: string }): Promise<void>
  /** Why users of an account get nowhere; null: they do. Also where there is no SFTP. */
  userProblems(input: { username: string }): Promise<{ name: string; problem: string | null }[]>
  /**
   * Log-ins and failed attempts that changed after that version, the first 500 in this order; what the caller
   * has of ended ones may be dropped. Also where there is no SFTP.
   */
  seenLogins(input: { after: number }): Promise<HostLogin[]>
}
