import { applicationParsers } from './hosting/application-parsers.ts'
import { backupPathParsers, snapshotParsers } from './backups/backup-parsers.ts'
import { configParsers } from './config-parsers.ts'
import { cronParsers } from './hosting/cron-parsers.ts'
import { addressParsers, databaseParsers } from './databases/database-parsers.ts'
import { figuresParsers } from './figures-parsers.ts'
import { sftpParsers } from './sftp/sftp-parsers.ts'
import { fileParsers, passwordFileParsers } from './file-parsers.ts'
import { foreignArchiveParsers } from './backups/foreign-archive-parsers.ts'
import { legacyParsers } from './legacy-parsers.ts'
import { logParsers } from './log-parsers.ts'
import { mailParsers } from './mail/mail-parsers.ts'
import { linkParsers } from './link-parsers.ts'
import { machineParsers } from './machine-parsers.ts'
import { notificationParsers } from './notifications/notification-parsers.ts'
import { panelParsers } from './panel-parsers.ts'
import { recoveryParsers } from './backups/recovery-parsers.ts'
import { requestParsers } from './request-parsers.ts'
import { htaccessParsers, ruleLineParsers, patternParsers } from './rule-parsers.ts'
import { siteParsers } from './site-parsers.ts'
import { scriptParsers, documentParsers } from './script-parsers.ts'
import { cacheVisitorParsers, siteVisitorParsers } from './visitor-parsers.ts'
import { wordpressParsers } from './wordpress/wordpress-parsers.ts'
import type { ListedParser } from './parser-list.ts'

/** Every function that reads what others write; a new one goes into the list of its kind. */
export const ALL_PARSERS: readonly ListedParser[] = [
  ...requestParsers,
  ...applicationParsers,
  ...cacheVisitorParsers,
  ...siteVisitorParsers,
  ...panelParsers,
  ...scriptParsers,
  ...documentParsers,
  ...fileParsers,
  ...passwordFileParsers,
  ...htaccessParsers,
  ...ruleLineParsers,
  ...patternParsers,
  ...logParsers,
  ...configParsers,
  ...machineParsers,
  ...linkParsers,
  ...recoveryParsers,
  ...legacyParsers,
  ...foreignArchiveParsers,
  ...snapshotParsers,
  ...backupPathParsers,
  ...cronParsers,
  ...addressParsers,
  ...databaseParsers,
  ...siteParsers,
  ...figuresParsers,
  ...sftpParsers,
  ...mailParsers,
  ...notificationParsers,
  ...wordpressParsers,
]
