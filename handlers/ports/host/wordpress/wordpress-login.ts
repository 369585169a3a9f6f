/** An administrator of a WordPress. */
export interface WordpressAdministrator {
  id: number
  login: string
  email: string
}

/** A WordPress by its folder, relative to the home. */
export interface WordpressPlace {
  username: string
  path: string
  /** Where visitors find it, with a slash at its end. */
  url: string
}

/** Lets people into the administration of sites without a password of theirs. */
export interface WordpressLoginPort {
  /** The first one first. 404 unknown account, 409 where no WordPress is there or it does not answer. */
  administrators(input: WordpressPlace): Promise<WordpressAdministrator[]>
  /**
   * A ticket for one administrator (by id) of one site: good once, for 30 seconds, at the
   * site's own name alone; kept in memory. 409 while the account is suspended, 429 where too
   * many are out.
   */
  ticket(input: WordpressPlace & { user: number }): Promise<{ ticket: string }>
}
