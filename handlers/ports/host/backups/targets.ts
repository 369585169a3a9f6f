import type { RemoteTarget } from './backups.ts'

/** What opens a target; it stays with the host and is never told again. */
export interface TargetSecret {
  kind: 'secret_key' | 'password' | 'private_key'
  value: string
}

/** A target as an administrator sets it up. */
export type TargetSettings = Omit<RemoteTarget, 'source'>

/** What a target was found to allow, beside writing and reading back. */
export interface TargetTrial {
  /** Whether its files can be listed, which imports from it need. */
  can_list: boolean
  /** Whether a file can be removed again; not so where a key may only add. */
  can_remove: boolean
}

/** Key of an SFTP server, as it showed it now. */
export interface ServerKey {
  /** E.g. `ssh-ed25519`. */
  type: string
  /** `SHA256:…` */
  fingerprint: string
}

/**
 * Targets that are set up in the panel, beside those of the host's configuration, which
 * nothing here changes (409). Addresses of the host itself and of its link are refused,
 * others outside of the internet without `allow_private`. Failures are 400 for
 * settings that do not fit together, 404 and 409 for names, 503 with what to do for a
 * target that fails its test.
 */
export interface TargetsPort {
  /**
   * Tries the target and keeps it; one that fails its test is not kept, and an earlier one
   * stays as it was. Without a secret the earlier one stays, unless it would go to another
   * server, user or key (400). `is_default` takes that from any other.
   */
  save(input: {
    settings: TargetSettings
    secret: TargetSecret | null
    isNew: boolean
  }): Promise<TargetTrial>
  /** Forgets it with its secret; what lies there stays. */
  remove(input: { name: string }): Promise<void>
  /** Writes a small file there, reads it back and removes it; also at one of the configuration. */
  test(input: { name: string }): Promise<TargetTrial>
  /** The key that an SFTP server shows, for a person to compare. */
  serverKey(input: { endpoint: string; allowPrivate: boolean }): Promise<ServerKey>
}
