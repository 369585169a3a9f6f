import type { BackedUpDatabase } from '../store/records.ts'

/** What of a backup is brought back; the rest of the account stays as it is. */
export interface RestoreParts {
  /** Whole home, nothing of it, or files and folders by their paths below it (at most 1,000). */
  files: 'all' | 'none' | readonly string[]
  /** By their full names (at most 1,000). */
  databases: 'all' | 'none' | readonly BackedUpDatabase[]
}
