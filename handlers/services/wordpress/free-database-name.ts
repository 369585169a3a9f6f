import { prefixedDatabaseName } from '../../domain/databases/database-name.ts'
import { conflict } from '../../errors.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { Store } from '../../ports/store/store.ts'

const MOST_NAMES = 1000

/** A name that neither a database of the account nor its user has: `base`, `base2` ... with the account's prefix; 409 where all are taken. */
export const freeDatabaseName = async (
  store: Pick<Store, 'listDatabases'>,
  { id, username }: Pick<AccountRow, 'id' | 'username'>,
  base: string,
): Promise<string> => {
  const taken = new Set(
    (await store.listDatabases(id)).flatMap((row) => [row.database_name, row.database_user]),
  )
  for (let n = 1; n < MOST_NAMES; n++) {
    const name = prefixedDatabaseName(username, n === 1 ? base : `${base}${n}`, 'db_name')
    if (!taken.has(name)) return name
  }
  throw conflict('All names for its database are taken. Say one with db_name.')
}
