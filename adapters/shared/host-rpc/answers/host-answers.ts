import { ACCOUNTS_ANSWERS } from './accounts-answers.ts'
import { APPLICATIONS_ANSWERS } from './applications-answers.ts'
import { BACKUPS_ANSWERS } from './backups-answers.ts'
import { CERTIFICATES_ANSWERS } from './certificates-answers.ts'
import { DATABASES_ANSWERS } from './databases-answers.ts'
import { FILES_ANSWERS } from './files-answers.ts'
import { FRONTS_ANSWERS } from '../fronts-answers.ts'
import { IMPORTS_ANSWERS } from './imports-answers.ts'
import { INSPECTION_ANSWERS } from './inspection-answers.ts'
import { LOGS_ANSWERS } from './logs-answers.ts'
import { MACHINE_ANSWERS } from './machine-answers.ts'
import { MAIL_ANSWERS } from './mail-answers.ts'
import { MOVES_ANSWERS } from '../moves-answers.ts'
import { PAGE_CACHE_ANSWERS } from './page-cache-answers.ts'
import { PHP_ANSWERS } from './php-answers.ts'
import { SFTP_ANSWERS } from './sftp-answers.ts'
import { WEB_SERVER_ANSWERS } from './web-server-answers.ts'
import { WORDPRESS_ANSWERS } from './wordpress-answers.ts'

/** What every method of the host answers, of what kind it is and how long it may take. */
export const HOST_ANSWERS = {
  ...ACCOUNTS_ANSWERS,
  ...APPLICATIONS_ANSWERS,
  ...BACKUPS_ANSWERS,
  ...CERTIFICATES_ANSWERS,
  ...DATABASES_ANSWERS,
  ...FILES_ANSWERS,
  ...FRONTS_ANSWERS,
  ...IMPORTS_ANSWERS,
  ...INSPECTION_ANSWERS,
  ...LOGS_ANSWERS,
  ...MACHINE_ANSWERS,
  ...MAIL_ANSWERS,
  ...MOVES_ANSWERS,
  ...PAGE_CACHE_ANSWERS,
  ...PHP_ANSWERS,
  ...SFTP_ANSWERS,
  ...WEB_SERVER_ANSWERS,
  ...WORDPRESS_ANSWERS,
}
