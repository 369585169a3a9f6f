import type { WordpressPlace } from './wordpress-login.ts'

/** A WordPress that is brought to another version of its core. */
export interface WordpressUpdate extends WordpressPlace {
  /** In the journal of the caller. */
  updateId: string
}

/**
 * Exchanges the core of a WordPress, as the account: `wp-admin`, `wp-includes` and the scripts
 * beside them; what the owner brought stays. 409 where the site does not answer or refuses.
 */
export interface WordpressUpdatePort {
  /** Whether its front page comes, as a request to it would be answered; 409 with what it says where not. Answers the name of its database. */
  check(input: WordpressPlace): Promise<{ database: string }>
  /**
   * Puts the core of a source in place, keeps the one from before, and checks the front page.
   * 400 for a version that no source has, 413 where the account has no room; undone where it fails.
   */
  exchange(input: WordpressUpdate & { version: string }): Promise<void>
  /** Has WordPress bring its tables to its version, checks again, and makes the pages new. */
  upgrade(input: WordpressPlace): Promise<{ version: string }>
  /** Brings back the core from before; nothing where none is kept. */
  revert(input: WordpressUpdate): Promise<void>
  /** Lets the core from before go. */
  settle(input: { username: string; updateId: string }): Promise<void>
}
