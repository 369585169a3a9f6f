import type { DatabaseEngine } from '../../store/records.ts'
import type { ArchiveFacts, ArchiveSource, FoundArchive, PanelSecrets } from './archived-records.ts'
import type { BackupProgress } from './backups.ts'
import type { InstalledCertificate } from '../certificates.ts'

/** A database of an archive and the one that it goes into, by their full names. */
export interface DatabaseMove {
  engine: DatabaseEngine
  from: string
  to: string
}

/** How far a step is; of `open` the result is what is in the archive. */
export type ImportProgress = BackupProgress<ArchiveFacts>

/**
 * Archives that are brought in. One is opened under an id, i.e. read whole and judged;
 * then its parts go into an account that was made for it, whose name and databases may
 * be others than its own. What is secret in it stays with the host. An archive is
 * hostile input; a restart of the host forgets what was open. Failures are 404 for what
 * is not there, 409 for what is refused, 413 for what does not fit.
 */
export interface ImportsPort {
  /**
   * Archives in the directory, or the file itself, at an absolute path, or all at a
   * target. 409 for a path that others than the host's administrator can write to: they
   * could exchange it.
   */
  find(input: { path: string } | { target: string }): Promise<FoundArchive[]>
  /** Begins to read an archive; see `wait`. */
  open(input: { importId: string; source: ArchiveSource }): Promise<void>
  /** Begins to put home and databases in the place of the account's; see `wait`. A failure puts back what was there. */
  fill(input: { importId: string; username: string; databases: DatabaseMove[] }): Promise<void>
  /** Answers when the step has ended, or after some seconds with how far it is; `unknown` after a restart of the host. */
  wait(input: { importId: string; step: 'open' | 'fill' }): Promise<ImportProgress>
  /** Gives a site the certificate that the site `from` of the archive had, as version `operationId`; 400 where it does not fit or has expired. */
  takeCertificate(input: {
    importId: string
    operationId: string
    username: string
    from: string
    domain: string
  }): Promise<InstalledCertificate>
  /**
   * Points absolute paths of the homes that the archive was made of, in known configuration
   * files of the account, at its home here. Files are kept as they were in `copies`, below
   * the home. Answers those that were changed, and those that name such a home and were not.
   */
  pointConfigs(input: { importId: string; username: string }): Promise<{
    changed: { path: string; paths: number }[]
    left: { path: string; why: string }[]
    copies: string
  }>
  /**
   * Gives the databases' users, their further `users`, and with `system` the system user, the
   * passwords that they had. Answers those of the panel; null where the archive's secrets cannot be read.
   */
  takePasswords(input: {
    importId: string
    username: string
    databases: DatabaseMove[]
    users: DatabaseMove[]
    system: boolean
  }): Promise<PanelSecrets | null>
  /** Forgets it; what is not open is no error. */
  close(input: { importId: string }): Promise<void>
}
