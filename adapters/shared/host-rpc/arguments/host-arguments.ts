import { ACCOUNTS_ARGUMENTS } from './accounts-arguments.ts'
import { APPLICATIONS_ARGUMENTS } from './applications-arguments.ts'
import { BACKUPS_ARGUMENTS } from './backups-arguments.ts'
import { CERTIFICATES_ARGUMENTS } from './certificates-arguments.ts'
import { DATABASES_ARGUMENTS } from './databases-arguments.ts'
import { FILES_ARGUMENTS } from './files-arguments.ts'
import { FRONTS_ARGUMENTS } from './fronts-arguments.ts'
import { MACHINE_ARGUMENTS } from './machine-arguments.ts'
import { MAIL_ARGUMENTS } from './mail-arguments.ts'
import { MOVES_ARGUMENTS } from './moves-arguments.ts'
import { PAGE_CACHE_ARGUMENTS } from './page-cache-arguments.ts'
import { PHP_ARGUMENTS } from './php-arguments.ts'
import { SFTP_ARGUMENTS } from './sftp-arguments.ts'
import { WEB_SERVER_ARGUMENTS } from './web-server-arguments.ts'
import { WORDPRESS_ARGUMENTS } from './wordpress-arguments.ts'
import type { ArgumentTable } from './argument-table.ts'

/**
 * The shape of the argument of every method. A port method missing here, or one whose
 * argument changed, does not compile. Keys that are not named here do not arrive.
 */
export const HOST_ARGUMENTS: ArgumentTable = {
  ...ACCOUNTS_ARGUMENTS,
  ...APPLICATIONS_ARGUMENTS,
  ...BACKUPS_ARGUMENTS,
  ...CERTIFICATES_ARGUMENTS,
  ...DATABASES_ARGUMENTS,
  ...FILES_ARGUMENTS,
  ...FRONTS_ARGUMENTS,
  ...MACHINE_ARGUMENTS,
  ...MAIL_ARGUMENTS,
  ...MOVES_ARGUMENTS,
  ...PAGE_CACHE_ARGUMENTS,
  ...PHP_ARGUMENTS,
  ...SFTP_ARGUMENTS,
  ...WEB_SERVER_ARGUMENTS,
  ...WORDPRESS_ARGUMENTS,
}
