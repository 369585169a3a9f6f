import type { BackedUpDatabase } from '../../store/records.ts'
import type { AccountRecord, PanelSecrets } from './archived-records.ts'
import type { KeptRestore, RestoreParts } from './restore-parts.ts'
import type { SnapshotEntry } from './snapshot-entry.ts'

/** A place for copies of backups beside this host's own directory; secrets never appear here. */
export interface RemoteTarget {
  name: string
  type: 's3' | 'sftp'
  /** Where it was set up: in the host's configuration, which alone can change it then, or in the panel. */
  source: 'configuration' | 'panel'
  /** URL of the S3 service, or `host:port` of the SFTP server. */
  endpoint: string
  /** S3 only. */
  bucket: string | null
  /** Directory (SFTP), or what names of objects begin with (S3). */
  path: string | null
  region: string | null
  /** SFTP only. */
  username: string | null
  /** S3 only; the name of the key, which is no secret. */
  access_key_id: string | null
  /** SFTP only: `SHA256:…`, fingerprint of the key that the server must have. */
  host_key: string | null
  is_default: boolean
  /** Whether it may lie in a private network. */
  allow_private: boolean
}

/** A whole, verified archive. */
export interface BackupFacts {
  sizeBytes: number
  /** Hexadecimal, of the archive file. */
  sha256: string
  databases: BackedUpDatabase[]
  /** How much of the home is not in it: devices, pipes, links that lead out, and what the account itself may not read. */
  skipped: number
  /** Paths of the first of them, at most 20, below the home. */
  skippedPaths: string[]
}

/** What of a home a restore has brought back. */
export interface RestoredFiles {
  files: number
  bytes: number
}

/** Location of the copy in this host's own backup directory. */
export const LOCAL = 'local'

/** Stands for every copy of a backup, wherever it is; no target has this name. */
export const EVERYWHERE = 'all'

/** A backup as the panel knows it; the host refuses an archive whose contents are not these. */
export interface KnownBackup {
  username: string
  /** `<username>-<YYYYMMDD>-<HHMMSS>.tar.gz`; the host refuses one of another account. */
  filename: string
  /** `local`, or a target's name. */
  location: string
}

/** Work that may take hours. Every kind is done once per `operationId`. */
export type BackupWork = { operationId: string } & (
  | {
      kind: 'create'
      username: string
      filename: string
      /** What the panel knows of the account, for the archive. */
      record: AccountRecord
      secrets: PanelSecrets
      /** Whether reading the home leaves disk and processor to everything else; default: no. */
      gently?: boolean
    }
  /** What was there is kept for a day, instead of what an earlier restore has kept. */
  | (KnownBackup & {
      kind: 'restore'
      parts: RestoreParts
      sha256: string
      sizeBytes: number
      /** Also into an account that is suspended, which stays so; default: 409. */
      evenSuspended?: boolean
    })
  /** Exchanges what a restore brought and what was there before, which makes the undoing a restore that can be undone. */
  | { kind: 'undo'; username: string; restoreId: string }
  /** Copies the local archive to a target and reads it back there. */
  | (KnownBackup & { kind: 'upload'; sha256: string; sizeBytes: number })
)

/** What is in a folder of an archive, and the databases that the archive holds. */
export interface ArchiveContents {
  entries: SnapshotEntry[]
  total: number
  databases: BackedUpDatabase[]
}

/** How far a piece of work is. */
export interface BackupProgress<Result = BackupFacts> {
  state: 'running' | 'done' | 'failed' | 'unknown'
  /** E.g. `home`, `databases`, `verify`. */
  step: string
  detail: string
  /** 0-100. */
  percent: number
  /** Of `create`, when done. */
  result: Result | null
  /** Of `restore`, when done: what of the home was brought back. */
  restored?: RestoredFiles
  /** When failed: what the caller is told; with `field` `location` nothing but this copy is at fault, and nothing was changed. */
  error: { status: number; message: string; field?: string } | null
}

/**
 * Backups of accounts: archives as `docs/backup-format.md` describes them, in a
 * directory that only the host enters.
 * A backup that fails, in any of its parts, leaves no file. A restore that fails,
 * or that a crash breaks off, puts back what was there. Failures are 404 for an
 * unknown account or file, 409 for an archive that is refused, 413 over the quota,
 * 503 for a target or database server that does not answer.
 */
export interface BackupsPort {
  /** Begins the work and returns; of a work that was begun before nothing happens. */
  start(work: BackupWork): Promise<void>
  /** Answers when the work has ended, or after some seconds with how far it is; `unknown` after a restart of the host. */
  wait(input: { operationId: string }): Promise<BackupProgress>
  /** Restores of the account of the last day, newest first. */
  restores(input: { username: string }): Promise<KeptRestore[]>
  /**
   * What is in a folder of the archive ('' is the home), by name from `offset` on, at most
   * 1,000. Null: the archive is being read, which goes on; ask again.
   */
  contents(
    backup: KnownBackup & { sha256: string; sizeBytes: number; directory: string; offset: number },
  ): Promise<ArchiveContents | null>
  /** Removes one copy; a missing one is no error. */
  remove(backup: KnownBackup): Promise<void>
  /** Bytes of a copy from `offset`, at most 1 MiB, base64; empty at the end. */
  read(backup: KnownBackup & { offset: number }): Promise<{ content: string }>
  /** All targets, without their secrets. */
  targets(): Promise<RemoteTarget[]>
}
