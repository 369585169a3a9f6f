import type { ServedGrant } from '../users/further-users.ts'

/** A user of an account's databases as it is known elsewhere. */
export interface RemoteLogin {
  user: string
  /** Databases with the rights that he has there from elsewhere. */
  grants: readonly ServedGrant[]
  /** Whence he may log in; none: he is locked, or nobody is let in. */
  addresses: readonly string[]
}

/** How a server is reached from other machines. */
export interface RemoteServing {
  /** Null: this machine alone is served. */
  port: number | null
  /** Why it is not as it was asked for; null: it is. */
  problem: string | null
}

/** What an engine does for users who come from elsewhere. Names and addresses have been checked. */
export interface RemoteLogins {
  /** Whether somebody may come from elsewhere at all. */
  readonly wanted: boolean
  /** How it stands. Starts nothing. */
  serving(): Promise<RemoteServing>
  /**
   * Makes whence the users of `account` may log in exactly what is said, over TLS alone, and ends their
   * connections from anywhere else. `others`: all users of the server, for one that keeps all in one list.
   */
  set(account: readonly RemoteLogin[], all: () => readonly RemoteLogin[]): Promise<void>
  /** The server takes up another certificate, which lies there already; connections go on. */
  renewCertificate(): Promise<void>
}
