import { accounts } from '../accounts.ts'
import { hostingPlans, limits } from '../plans.ts'
import { people } from '../settings/people.ts'
import { own } from '../own.ts'
import { ssl } from '../ssl.ts'
import { dnsAccess } from '../dns-access.ts'
import { php } from '../php.ts'
import { hosting } from '../hosting.ts'
import { sftp } from '../sftp/sftp.ts'
import { sftpUsers } from '../sftp/users.ts'
import { site } from '../sites/site.ts'
import { figures } from '../sites/figures.ts'
import { backupState } from '../backups/state.ts'
import { resellers } from '../settings/resellers.ts'
import { restores } from '../backups/restores.ts'
import { sftpLogins } from '../sftp/logins.ts'

/** Texts of accounts, their people, domains, certificates and PHP: the part of the pages that have to do with them. */
export const sitesPart = {
  accounts,
  limits,
  hostingPlans,
  own,
  people,
  ssl,
  dnsAccess,
  php,
  ...hosting,
  sftp,
  sftpUsers,
  site,
  figures,
  backupState,
  resellers,
  restores,
  sftpLogins,
}
