import { rules } from '../sites/rules.ts'
import { files } from '../files.ts'
import { databaseSizes } from '../databases/database-sizes.ts'
import { databaseAddresses } from '../databases/database-addresses.ts'
import { databaseUsers } from '../databases/database-users.ts'
import { slowQueries } from '../databases/slow-queries.ts'
import { cron } from '../cron.ts'
import { logs } from '../logs.ts'
import { mail } from '../mail/mail.ts'

/** German texts of files, databases, cron jobs, logs and mail: the part of the pages that have to do with them. */
export const dataPart = {
  rules,
  files,
  databaseSizes,
  databaseAddresses,
  databaseUsers,
  slowQueries,
  cron,
  logs,
  mail,
}
