import type { WordpressPlace } from './wordpress-login.ts'

/** A table of a WordPress. */
export interface WordpressTable {
  name: string
  /** As the server estimates it. */
  rows: number
  bytes: number
  /** What foreign keys bind directly to it, in either direction: none of them can be exchanged alone. */
  bound_to: string[]
}

/** What a copy of a WordPress would be made of. */
export interface WordpressSurvey {
  /** On disk. */
  bytes: number
  files: number
  database: string
  /** With which the names of its tables begin. */
  prefix: string
  tables: WordpressTable[]
  /** Where it is a network of sites: its own name, and those that its sites have beside it, as its tables have them. */
  network: { domain: string; path: string; names: string[] } | null
}

/** A WordPress that is made of another one; the password is held by nobody afterwards. */
export interface NewWordpressCopy {
  /** In the journal of the caller; repeating it answers as the first time. */
  copyId: string
  /** Where the files and tables come from: an account of its own, or the same. */
  from: WordpressPlace
  to: WordpressPlace
  /** Empty, of the account that the copy goes to. */
  database: { name: string; user: string; password: string; host: string }
  /** Whether it is for trying things out: marked, kept from search engines, and silent. */
  staging: boolean
  /** Of a network: the names that its sites have of their own, with addresses (without a path) that lead to the copy. */
  names: { name: string; url: string }[]
}

/** What of a staging copy goes back into the site that it was made of. */
export interface WordpressPush {
  /** In the journal of the caller. */
  pushId: string
  username: string
  from: Omit<WordpressPlace, 'username'>
  to: Omit<WordpressPlace, 'username'>
  files: boolean
  /** Which tables. */
  tables: string[]
}

/** A push that was begun, and the site that it goes to. */
export type WordpressPushed = Pick<WordpressPush, 'pushId' | 'username' | 'to'>

/**
 * Copies of WordPress installations. Each site's files and tables are read and written as its own
 * account. 409 where a site does not answer or refuses. Networks of sites are copied with all of them, and several
 * networks of one database too; only files of them are pushed back.
 */
export interface WordpressCopyPort {
  /** Without running plugins or themes of it. */
  survey(input: WordpressPlace): Promise<WordpressSurvey>
  /**
   * Copies files and tables, gives the copy a configuration with keys of its own, replaces the
   * address, and makes its front page once. 409 where the folder is not free, 413 where the
   * account has no room. Undone where it fails.
   */
  copy(input: NewWordpressCopy): Promise<void>
  /** Takes away the files that a copy has brought, by its operation; with `folder` the folder too, where nothing else is in it. */
  remove(input: { username: string; path: string; copyId: string; folder: boolean }): Promise<void>
  /**
   * Puts the files and tables of a copy in the place of the site's own, which are kept beside them,
   * and makes its front page. The site keeps its `wp-config.php`, `.htaccess`, uploads that the copy
   * lacks, and its own address and keys. Undone where it fails. Tables that foreign keys bind go
   * together: 409 where one of them is missing, or a row refers to one that is not there.
   */
  push(input: WordpressPush): Promise<void>
  /** Brings back what was before; nothing where nothing is kept, or it is let go already. */
  revert(input: WordpressPushed): Promise<void>
  /** Lets what was before go. */
  settle(input: WordpressPushed): Promise<void>
}
