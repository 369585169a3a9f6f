import { rules } from '../sites/rules.ts'
import { files } from '../files.ts'
import { databaseSizes } from '../databases/database-sizes.ts'
import { databaseAddresses } from '../databases/database-addresses.ts'
import { databaseUsers } from '../databases/database-users.ts'
import { slowQueries } from '../databases/slow-queries.ts'

/** German texts of files and databases: the part of the pages that have to do with them. */
export const dataPart = {
  rules,
  files,
  databaseSizes,
  databaseAddresses,
  databaseUsers,
  slowQueries,
}
