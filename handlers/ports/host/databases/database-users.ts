import type { DatabaseEngine } from '../../store/records.ts'

/**
 * What a further user may do in a database. `read`: see what is in its tables; `write`: change
 * that too, but no table itself; `all`: make, change and remove tables too. In
 * PostgreSQL what a user with `all` makes is the database's own user's. In MariaDB he makes no
 * views, routines, triggers or events, which would name him as their maker and be lost with him.
 */
export type DatabaseRights = 'read' | 'write' | 'all'

/** Rights in one database, which has its full name. */
export interface DatabaseGrant {
  database: string
  rights: DatabaseRights
}

/** Which further user is meant; the name is full. */
export interface DatabaseUserName {
  username: string
  engine: DatabaseEngine
  user: string
}

/**
 * Users of an account's databases beside the one that each was made with. Names are full
 * names that start with `<username>_`; the host refuses any other. All are locked and opened
 * with the account, and go with the last database that they may use. 404 for a user or a
 * database that is not the account's, 409 while it is suspended, 503 when the engine is not there.
 */
export interface DatabaseUsersPort {
  /** Makes a user with these rights and no others. 409 when the name is taken. On failure none is left. */
  create(
    input: DatabaseUserName & {
      operationId: string
      password: string
      /** One at least. */
      grants: DatabaseGrant[]
    },
  ): Promise<{ host: string }>
  /** Makes the rights exactly these; connections end where some are taken. */
  setGrants(
    input: DatabaseUserName & { operationId: string; grants: DatabaseGrant[] },
  ): Promise<void>
  /** Replaces the password. */
  setPassword(input: DatabaseUserName & { operationId: string; password: string }): Promise<void>
  /**
   * Gives a user another name, also the one that a database was made with. Password, rights and
   * what belongs to him stay; his connections end. 409 when the name is taken, or where a server
   * keeps the old one as that of who made something.
   */
  rename(input: DatabaseUserName & { operationId: string; to: string }): Promise<void>
  /** Drops the user; a missing one is no error. */
  remove(input: DatabaseUserName & { operationId: string }): Promise<void>
}
