import { describe } from 'vitest'
import { accountsContract } from '../accounts/api-accounts.ts'
import { applicationsContract } from '../applications/api-applications.ts'
import { auditContract } from '../audit/api-audit.ts'
import { authContract } from '../access/api-auth.ts'
import { credentialsContract } from '../access/api-credentials.ts'
import { cacheContract } from '../cache/api-cache.ts'
import { changesContract } from './api-changes.ts'
import { backupsContract } from '../backups/api-backups.ts'
import { importsContract } from '../backups/api-imports.ts'
import { refillsContract } from '../backups/api-refills.ts'
import { schedulesContract } from '../backups/api-schedules.ts'
import { settingsRestoresContract } from '../backups/api-settings-restores.ts'
import { snapshotsContract } from '../backups/api-snapshots.ts'
import { targetsContract } from '../backups/api-targets.ts'
import { cronContract } from '../cron/api-cron.ts'
import { databaseCopiesApiContract } from '../databases/api-database-copies.ts'
import { mailContract } from '../mail/api-mail.ts'
import { sftpContract } from '../sftp/api-sftp.ts'
import { databaseAddressesContract } from '../databases/api-database-addresses.ts'
import { databaseUsersContract } from '../databases/api-database-users.ts'
import { databasesContract } from '../databases/api-databases.ts'
import { doctorContract } from '../host/api-doctor.ts'
import { domainsContract } from '../domains/api-domains.ts'
import { siteBackendsContract } from '../domains/api-site-backends.ts'
import { siteSettingsContract } from '../domains/api-site-settings.ts'
import { figuresContract } from '../figures/api-figures.ts'
import { fieldNamesContract } from './api-field-names.ts'
import { fileTransfersContract } from '../files/api-file-transfers.ts'
import { filesContract } from '../files/api-files.ts'
import { generalContract } from './api-general.ts'
import { documentContract } from './api-document.ts'
import { wordpressCopyContract } from '../wordpress/api-wordpress-copy.ts'
import { wordpressExtensionsContract } from '../wordpress/api-wordpress-extensions.ts'
import { wordpressContract } from '../wordpress/api-wordpress.ts'
import { sampled } from '#test/support/sampled.ts'
import type { MakeApiInstance } from './api-instance.ts'
import { checkedAgainstDocument } from './openapi-check.ts'
import { jobsContract } from '../jobs/api-jobs.ts'
import { logsContract } from '../logs/api-logs.ts'
import { hostsContract } from '../hosts/api-hosts.ts'
import { licenseContract } from '../host/api-license.ts'
import { listsContract } from './api-lists.ts'
import { notificationsContract } from '../notifications/api-notifications.ts'
import { phpContract } from '../php/api-php.ts'
import { plansContract } from '../accounts/api-plans.ts'
import { accountUseContract } from '../accounts/api-use.ts'
import { resellersContract } from '../resellers/api-resellers.ts'
import { returnContract } from './api-return.ts'
import { waitingOrdersContract } from '../certificates/api-waiting-orders.ts'
import { dnsAccessContract } from '../certificates/api-dns-access.ts'
import { sslContract } from '../certificates/api-ssl.ts'
import { systemContract } from '../host/api-system.ts'
import { passkeysContract } from '../access/api-passkeys.ts'
import { peopleEndsContract } from '../access/api-people-ends.ts'
import { peopleContract } from '../access/api-people.ts'
import { sessionsContract } from '../access/api-sessions.ts'
import { tokensContract } from '../access/api-tokens.ts'
import { totpContract } from '../access/api-totp.ts'
import { usersContract } from '../access/api-users.ts'

/** Its parts, each by itself. */
const PARTS: readonly ((makeInstance: MakeApiInstance) => void)[] = [
  generalContract,
  fieldNamesContract,
  authContract,
  usersContract,
  resellersContract,
  tokensContract,
  sessionsContract,
  passkeysContract,
  peopleContract,
  peopleEndsContract,
  credentialsContract,
  returnContract,
  totpContract,
  auditContract,
  notificationsContract,
  licenseContract,
  hostsContract,
  accountsContract,
  domainsContract,
  siteBackendsContract,
  siteSettingsContract,
  figuresContract,
  changesContract,
  plansContract,
  accountUseContract,
  cacheContract,
  databasesContract,
  databaseUsersContract,
  databaseAddressesContract,
  databaseCopiesApiContract,
  cronContract,
  applicationsContract,
  sftpContract,
  mailContract,
  backupsContract,
  importsContract,
  refillsContract,
  snapshotsContract,
  settingsRestoresContract,
  schedulesContract,
  targetsContract,
  listsContract,
  filesContract,
  fileTransfersContract,
  phpContract,
  jobsContract,
  logsContract,
  sslContract,
  dnsAccessContract,
  waitingOrdersContract,
  systemContract,
  doctorContract,
  wordpressContract,
  wordpressCopyContract,
  wordpressExtensionsContract,
  documentContract,
]

const NAMED = {
  cache: cacheContract,
  doctor: doctorContract,
  hosts: hostsContract,
  imports: importsContract,
  refills: refillsContract,
}

/** All parts but some. */
export const partsWithout = (...names: readonly (keyof typeof NAMED)[]): typeof PARTS =>
  PARTS.filter((part) => names.every((name) => NAMED[name] !== part))

/**
 * The REST API's contract; every runtime passes the same one, each answer as the document has it.
 *
 * @param parts default: all
 * @param keep how many of its parts are tried in one run; default: all. What a runtime of its own
 * makes of them is seldom another thing, and it takes four times as long as in Node.
 */
export const apiContract = (
  name: string,
  makeUnchecked: MakeApiInstance,
  { parts = PARTS, keep = parts.length }: { keep?: number; parts?: typeof PARTS } = {},
): void => {
  const makeInstance = checkedAgainstDocument(makeUnchecked)
  describe(`API on ${name}`, () => {
    for (const part of sampled(`parts of the API on ${name}`, parts, { keep })) part(makeInstance)
  })
}
