import { describe } from 'vitest'
import { accountsContract } from './api-accounts.ts'
import { auditContract } from './api-audit.ts'
import { authContract } from './api-auth.ts'
import { credentialsContract } from './api-credentials.ts'
import { cacheContract } from './api-cache.ts'
import { changesContract } from './api-changes.ts'
import { backupsContract } from './api-backups.ts'
import { databasesContract } from './api-databases.ts'
import { doctorContract } from './api-doctor.ts'
import { domainsContract } from './api-domains.ts'
import { fieldNamesContract } from './api-field-names.ts'
import { fileTransfersContract } from './api-file-transfers.ts'
import { filesContract } from './api-files.ts'
import { generalContract } from './api-general.ts'
import { documentContract } from './api-document.ts'
import type { MakeApiInstance } from './api-instance.ts'
import { checkedAgainstDocument } from './openapi-check.ts'
import { jobsContract } from './api-jobs.ts'
import { logsContract } from './api-logs.ts'
import { licenseContract } from './api-license.ts'
import { listsContract } from './api-lists.ts'
import { phpContract } from './api-php.ts'
import { plansContract } from './api-plans.ts'
import { returnContract } from './api-return.ts'
import { sslContract } from './api-ssl.ts'
import { systemContract } from './api-system.ts'
import { tokensContract } from './api-tokens.ts'
import { totpContract } from './api-totp.ts'
import { usersContract } from './api-users.ts'

/** The REST API's contract; every runtime passes the same one, each answer as the document has it. */
export const apiContract = (name: string, makeUnchecked: MakeApiInstance): void => {
  const makeInstance = checkedAgainstDocument(makeUnchecked)
  describe(`API on ${name}`, () => {
    generalContract(makeInstance)
    fieldNamesContract(makeInstance)
    authContract(makeInstance)
    usersContract(makeInstance)
    tokensContract(makeInstance)
    credentialsContract(makeInstance)
    returnContract(makeInstance)
    totpContract(makeInstance)
    auditContract(makeInstance)
    licenseContract(makeInstance)
    accountsContract(makeInstance)
    domainsContract(makeInstance)
    changesContract(makeInstance)
    plansContract(makeInstance)
    cacheContract(makeInstance)
    databasesContract(makeInstance)
    backupsContract(makeInstance)
    listsContract(makeInstance)
    filesContract(makeInstance)
    fileTransfersContract(makeInstance)
    phpContract(makeInstance)
    jobsContract(makeInstance)
    logsContract(makeInstance)
    sslContract(makeInstance)
    systemContract(makeInstance)
    doctorContract(makeInstance)
    documentContract(makeInstance)
  })
}
