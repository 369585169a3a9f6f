import type { DatabaseRights } from '#handlers/ports/host/databases/database-users.ts'

/** Rights in a database, with the user that it was made with. */
export interface ServedGrant {
  database: string
  /** The database's own user. */
  owner: string
  rights: DatabaseRights
}

/** What an engine does for further users. Names have been checked; each can be repeated. */
export interface FurtherUsers {
  /** Whether the server has a user of that name, of either kind. */
  exists(user: string): Promise<boolean>
  /** A login without rights; one that is there gets the password. */
  create(user: string, password: string): Promise<void>
  /**
   * Makes the rights of a user that is there exactly `wanted`. `former`: those that he had or may
   * have; his connections end where one of them is taken or made less.
   */
  setGrants(
    user: string,
    wanted: readonly ServedGrant[],
    former: readonly ServedGrant[],
  ): Promise<void>
  /** Renames a user of either kind and ends his connections. `owned`: the database that he was made with. 409 where the server cannot. */
  rename(from: string, to: string, owned: string | null): Promise<void>
  /** Ends the connections and drops the login; a missing one is no error. */
  drop(user: string, former: readonly ServedGrant[]): Promise<void>
}

const RANK = { read: 0, write: 1, all: 2 } as const satisfies Record<DatabaseRights, number>

/** Whether somebody who has `former` loses something with `wanted`. */
export const losesRights = (
  wanted: readonly ServedGrant[],
  former: readonly ServedGrant[],
): boolean =>
  former.some((had) => {
    const has = wanted.find(({ database }) => database === had.database)
    return has === undefined || RANK[has.rights] < RANK[had.rights]
  })
