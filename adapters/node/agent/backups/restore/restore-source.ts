import type { RestoreParts } from '#handlers/ports/host/backups/restore-parts.ts'
import type { BackedUpDatabase } from '#handlers/ports/store/records.ts'
import type { Report } from '../works/report.ts'
import type { HomeOwner } from '../home-tar.ts'
import type { TarLimits } from '../../../archives/tar-reader.ts'

/** A dump that was written into the directory of dumps as `dumpName` calls it. */
export interface FetchedDump extends BackedUpDatabase {
  /** Whose definitions it holds; null: those of the database's user. */
  user: string | null
}

/** Where what is restored is to be written. */
export interface FetchInto {
  owner: HomeOwner
  parts: RestoreParts
  /**
   * A folder (its path below the home) that is there and empty: the home, or the chosen
   * paths with the folders above them, each at its own path below it, written by a process
   * of the account. Null: no files are wanted.
   */
  staging: string | null
  /** Ours alone. Null: no databases are wanted. */
  dumpsDir: string | null
  /** Of the files. */
  limits: TarLimits
  maxDumpBytes: number
  /** Hears how many bytes and files were written until then. */
  onHome: (bytes: number, files: number) => void
}

/** What restores take files and dumps from: an archive, a snapshot, or what an earlier restore has kept. */
export interface RestoreSource {
  /** Before anything is made; throws where it is not what is meant. */
  check(report: Report): Promise<void>
  /**
   * Writes what is wanted and answers the dumps; 404 naming a chosen path or database that
   * is not there, 409 for what is refused, 413 for what is too large. What it has
   * written until then is the caller's to remove.
   */
  fetch(into: FetchInto): Promise<readonly FetchedDump[]>
}
