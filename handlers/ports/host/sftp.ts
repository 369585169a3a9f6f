import type { Timestamp } from '../store/records.ts'

/** A key that opens an account. */
export interface SftpLoginKey {
  /** Type and base64, without options or comment. */
  publicKey: string
  /** UTC; null: it does not expire. */
  expiresAt: Timestamp | null
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

/** Log-ins of accounts over SFTP, at the host's own sshd. */
export interface SftpPort {
  /** Also where there is no SFTP; never fails for that. */
  details(): Promise<SftpDetails>
  /**
   * Makes these the log-ins of an account, and no others. Of a suspended one they count
   * once that is lifted. Repeatable. 400 for what is no key, 404 for an unknown account,
   * 503 where there is no SFTP.
   */
  setLogins(input: {
    username: string
    /** Whether the account's password opens it, too. */
    passwords: boolean
    keys: readonly SftpLoginKey[]
  }): Promise<void>
}
