/** What a new WordPress is told; `password` and that of the database are held by nobody afterwards. */
export interface NewWordpress {
  /** In the journal of the caller; repeating it answers as the first time. */
  operationId: string
  username: string
  /** Of its folder, relative to the home: a document root or a folder below. It is made where it is missing. */
  path: string
  /** Where visitors will find it, with a slash at its end. */
  url: string
  /** One of the sources' versions. */
  version: string
  database: { name: string; user: string; password: string; host: string }
  site: {
    title: string
    /** `en_US`, or one that comes with the source. */
    locale: string
    user: string
    email: string
    password: string
  }
}

/** Puts WordPress into sites, as their accounts. */
export interface WordpressInstallPort {
  /**
   * Whether WordPress can come into a folder: it is missing, or holds nothing but the
   * placeholder page and what the panel itself keeps there. 409 with the reason where not.
   */
  assertFree(input: { username: string; path: string }): Promise<void>
  /**
   * Copies a source, writes its configuration, has it make its tables in the (empty)
   * database, and only then puts it where visitors see it. 400 for a version or language
   * that no source has; 409 where the folder is not free, the account is suspended or its
   * WordPress does not come up; 413 where the account has no room. Undone where it fails.
   */
  install(input: NewWordpress): Promise<{ version: string }>
  /** Takes away what an installation has brought, by its operation; nothing where it brought nothing. */
  uninstall(input: { username: string; path: string; installId: string }): Promise<void>
}
