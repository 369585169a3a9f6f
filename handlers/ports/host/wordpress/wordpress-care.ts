import type { WordpressPlace } from './wordpress-login.ts'

/** What `wp-config.php` says of two things; only what it says literally counts. */
export interface WordpressSettings {
  /** Whether errors are written to a log of the account. */
  debug: boolean
  /** Whether visitors' requests do not run what is due. */
  withoutCron: boolean
}

/** What of the core of a WordPress is not as its source has it; each list holds at most 200 paths. */
export interface WordpressIntegrity {
  /** Files that were compared. */
  checked: number
  changed: string[]
  missing: string[]
  /** In folders where WordPress keeps nothing but its own. */
  added: string[]
  /** Whether one of the lists was longer. */
  cut: boolean
}

/** What became, or would become, of an address in the database. */
export interface ReplacedAddress {
  rows: number
  values: number
  /** Tables without a primary key that hold it and stay as they are. */
  skipped: string[]
}

/** Looks after a WordPress; all of it as the account. 409 where the site does not answer or refuses. */
export interface WordpressCarePort {
  /** As `wp-config.php` has them; 409 where there is none that is PHP. */
  settings(input: { username: string; path: string }): Promise<WordpressSettings>
  /** What is not named stays. */
  configure(
    input: { username: string; path: string } & Partial<WordpressSettings>,
  ): Promise<WordpressSettings>
  /** Of an administrator by id, whose sessions end with it. */
  setPassword(input: WordpressPlace & { user: number; password: string }): Promise<void>
  /** Compares `wp-admin`, `wp-includes` and the files beside them with the source of the same version; 409 where no source has it. */
  integrity(input: { username: string; path: string }): Promise<WordpressIntegrity>
  /** All or nothing; pages of the site are made new. */
  replaceAddress(
    input: WordpressPlace & { from: string; to: string; dryRun: boolean },
  ): Promise<ReplacedAddress>
}
