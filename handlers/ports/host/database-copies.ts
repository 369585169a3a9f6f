import type { BackupProgress } from './backups/backups.ts'
import type { DatabaseEngine } from '../store/records.ts'

/** How an export is packed: as it is, by gzip, or as the one file of a zip archive. */
export type DumpFormat = 'sql' | 'gz' | 'zip'

/** An export that can be downloaded. */
export interface DatabaseExport {
  /** `<engine>-<database>-<YYYYMMDD>-<HHMMSS>.<sql|sql.gz|zip>`. */
  filename: string
  engine: DatabaseEngine
  database: string
  sizeBytes: number
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  createdAt: string
  /** It is removed then. */
  until: string
}

/** Work that may take hours. Every kind is done once per `operationId`. */
export type DatabaseCopyWork = {
  operationId: string
  username: string
  engine: DatabaseEngine
  /** Full name. */
  database: string
} & (
  | { kind: 'export'; format: DumpFormat }
  /**
   * Puts a dump in the place of what the database holds. `path` is below the home and read
   * as the account: plain SQL, the same by gzip, or a zip archive with one such file.
   */
  | { kind: 'import'; path: string }
)

/**
 * One database of an account as a file, both ways. An export has the rights of the
 * database's user and lies where only the host enters; it goes after a day, with the account, or when
 * a newer one of the database is made. An import runs as the database's user and nothing more; what was
 * there is kept for a day as a restore keeps it, and put back when anything fails. Failures
 * are 404 for an unknown account, database or file, 409 for a dump that is refused or a
 * suspended account, 413 for one that is too large, 503 for a server that does not answer.
 */
export interface DatabaseCopiesPort {
  /** Begins the work and returns; of work that was begun before nothing happens. Of one account it is done one after the other. */
  start(work: DatabaseCopyWork): Promise<void>
  /** Answers when the work has ended, or after some seconds with how far it is; `unknown` after a restart of the host. */
  wait(input: { operationId: string }): Promise<BackupProgress<DatabaseExport>>
  /** Newest first. */
  exports(input: { username: string }): Promise<DatabaseExport[]>
  /** Bytes of an export from `offset`, at most 1 MiB, base64; empty at the end. */
  read(input: { username: string; filename: string; offset: number }): Promise<{ content: string }>
  /** A missing one is no error. */
  remove(input: { username: string; filename: string }): Promise<void>
}
