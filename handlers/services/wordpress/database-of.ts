import { conflict } from '../../errors.ts'
import type { DatabaseRow } from '../../ports/store/records.ts'

/** The database of a WordPress among those of its account; 409 where it is not one of them. */
export const databaseOf = (
  rows: readonly Pick<DatabaseRow, 'database_name' | 'engine'>[],
  database: string,
): { engine: 'mariadb' | 'mysql'; database: string } => {
  const row = rows.find((one) => one.database_name === database && one.engine !== 'postgresql')
  if (row === undefined)
    throw conflict(`The database "${database}" of this site is not one of the account's.`)
  return { engine: row.engine === 'mysql' ? 'mysql' : 'mariadb', database }
}
