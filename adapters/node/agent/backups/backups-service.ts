import type { BackupsPort } from '#handlers/ports/host/backups/backups.ts'
import type { DatabaseCopiesPort } from '#handlers/ports/host/database-copies.ts'
import type { ImportsPort } from '#handlers/ports/host/backups/imports.ts'
import type { RestoreParts } from '#handlers/ports/host/backups/restore-parts.ts'
import type { RegisteredDatabase } from '../registry/types.ts'
import type { ImportsDeps } from './import/imports-port.ts'
import type { ArchiveKeys } from './records/archive-keys.ts'
import type { SystemPasswords } from './records/system-passwords.ts'
import type { RestoreDeps } from './restore-backup.ts'
import type { KnownTarget } from './targets/known-target.ts'
import type { Report } from './works/report.ts'

/** What backups are made with. */
export interface BackupsDeps extends Omit<RestoreDeps, 'workDir' | 'onLeftOpen' | 'kept'> {
  keys: ArchiveKeys
  /** Of the archives; 0700, ours alone. */
  directory: string
  passwords: SystemPasswords
  uidIsFree: ImportsDeps['uidIsFree']
  homeBase: ImportsDeps['homeBase']
  certificates: ImportsDeps['certificates']
  fetchSnapshot: ImportsDeps['fetchSnapshot']
  /** Product and version, for the archives. */
  madeBy: string
  /** As they are now, of the configuration and of the panel. */
  targets: () => readonly KnownTarget[]
  /** Default 10000. */
  waitMs?: number
  /** What is to be told of a failure. Default: a full disk is told as such. */
  explain?: (error: unknown) => unknown
  /** Before a restore that could not be put back is tried again; see `createRollbackRetries`. */
  firstPauseMs?: number
  /** How long what was there before a restore is kept. Default: a day. */
  keepRestoresMs?: number
}

/** Backups, and what shares their directories and restores. */
export interface BackupsService extends BackupsPort {
  /** Archives that are brought in; they share the working directories and restores. */
  imports: ImportsPort
  /** Databases as files; they share the working directories and restores too. */
  copies: DatabaseCopiesPort
  /** Removes what is kept for downloads of an account that goes. */
  forgetExports(username: string): Promise<void>
  /** Restores an archive of the account that `prepare` writes into a directory of ours, as any restore. */
  restoreFrom(
    order: {
      operationId: string
      username: string
      parts: RestoreParts
      snapshotId: string
      location: string
      evenSuspended?: boolean
    },
    prepare: (directory: string) => Promise<string>,
    report: Report,
  ): Promise<void>
  /** Puts a dump that `write` writes to a file of ours in the place of what a database of the account holds. */
  loadDump(
    order: { operationId: string; username: string; database: RegisteredDatabase },
    write: (file: string) => Promise<void>,
  ): Promise<void>
  /** Puts back restores that a crash broke off and removes unfinished work. */
  settle(): Promise<void>
  /** Resolves when no work runs. */
  idle(): Promise<void>
  /** Tries no more to put back what could not be; resolves when no attempt runs. */
  stop(): Promise<void>
}
