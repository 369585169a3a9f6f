import type { BackedUpDatabase, DatabaseEngine } from '../../store/records.ts'
import type { AccountRecord, PanelSecrets } from './archived-records.ts'
import type { BackupProgress } from './backups.ts'
import type { SnapshotEntry } from './snapshot-entry.ts'
import type { RestoreParts } from './restore-parts.ts'

/**
 * One repository: each account has its own, encrypted with a key of its own, at each place. It
 * outlives the account: what a former account of the name left there is told apart by who asks.
 */
export interface SnapshotPlace {
  username: string
  /** `local` (this host's own directory), or a target's name. */
  location: string
}

/** A snapshot as the repository itself tells it. */
export interface SnapshotFacts {
  /** 64 hexadecimal digits. */
  id: string
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  createdAt: string
  scheduled: boolean
  /** Of all files and dumps, as they are in the account. */
  sizeBytes: number
  /** What the repository grew by, compressed; null where the repository does not tell. */
  addedBytes: number | null
  files: number
  databases: BackedUpDatabase[]
  /** Files that could not be read; such a snapshot is kept and named incomplete. A host that did not make it says 0. */
  unread: number
}

/** What a check of a repository came to. */
export interface CheckFacts {
  /** Bytes that were read back and compared. */
  readBytes: number | null
  seconds: number
}

/** What a test restore came to: all of a snapshot was written to a scratch place and loaded into scratch databases. */
export interface TrialFacts {
  files: number
  bytes: number
  databases: { engine: DatabaseEngine; database: string; tables: number; rows: number }[]
  seconds: number
}

/** Work that may take hours. Every kind is done once per `operationId`. */
export type SnapshotWork = SnapshotPlace & { operationId: string } & (
    | { kind: 'snapshot'; scheduled: boolean; record: AccountRecord; secrets: PanelSecrets }
    /** As a restore of an archive: whatever fails is put back; `operationId` names it for its undoing. */
    | {
        kind: 'restore'
        snapshotId: string
        parts: RestoreParts
        /** Also into an account that is suspended, which stays so; default: 409. */
        evenSuspended?: boolean
      }
    /** Removes these and gives their room back. */
    | { kind: 'remove'; snapshotIds: readonly string[] }
    /** Structure, and the n-th of `of` equal shares of all data. */
    | { kind: 'check'; share: { nth: number; of: number } }
    | { kind: 'trial'; snapshotId: string }
  )

/** What the kinds of work answer. */
export type SnapshotResult =
  | { kind: 'snapshot'; snapshot: SnapshotFacts }
  | { kind: 'restore' }
  | { kind: 'remove'; removed: string[] }
  | ({ kind: 'check' } & CheckFacts)
  | ({ kind: 'trial' } & TrialFacts)

/**
 * Incremental, encrypted backups of accounts. A snapshot holds what an archive of
 * `docs/backup-format.md` holds, so a whole one can be turned into such an archive
 * (`ArchiveSource` of kind `snapshot`). It counts after it was listed again by its
 * repository with all dumps in it. Failures are 404 for an unknown account,
 * repository or snapshot, 409 for what is refused, 413 over the quota, 503 for a target,
 * engine or database server that does not answer.
 */
export interface SnapshotsPort {
  /** Version of the engine, e.g. `0.14.0`; null where it is not installed. */
  engine(): Promise<{ version: string | null }>
  /** Begins the work and returns; of a work that was begun before nothing happens. */
  start(work: SnapshotWork): Promise<void>
  /** Answers when the work has ended, or after some seconds with how far it is; `unknown` after a restart of the host. */
  wait(input: { operationId: string }): Promise<BackupProgress<SnapshotResult>>
  /** Ends a piece of work early; what it had stored is used by the next one. */
  stop(input: { operationId: string }): Promise<void>
  /** Newest first; empty where there is no repository yet. */
  list(place: SnapshotPlace): Promise<SnapshotFacts[]>
  /** What is in a folder ('' is the home), by name from `offset` on, at most 1,000. */
  browse(
    input: SnapshotPlace & { snapshotId: string; directory: string; offset: number },
  ): Promise<{ entries: SnapshotEntry[]; total: number }>
  /**
   * Begins to read a file (as it is), a folder (as tar.gz) or a dump; forgotten when nobody
   * asks for a minute.
   */
  open(
    input: SnapshotPlace & {
      readId: string
      snapshotId: string
      what: { path: string } | { database: BackedUpDatabase }
    },
  ): Promise<{ filename: string; sizeBytes: number | null }>
  /** The next bytes, at most 1 MiB, base64; empty at the end. */
  read(input: { readId: string }): Promise<{ content: string }>
  /** Ends reading early. */
  close(input: { readId: string }): Promise<void>
  /** Removes the whole repository; a missing one is no error. */
  destroy(place: SnapshotPlace): Promise<void>
}
