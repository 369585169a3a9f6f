import { describe } from 'vitest'
import { accountsContract } from './api-accounts.ts'
import { authContract } from './api-auth.ts'
import { databasesContract } from './api-databases.ts'
import { domainsContract } from './api-domains.ts'
import { filesContract } from './api-files.ts'
import { generalContract } from './api-general.ts'
import { documentContract } from './api-document.ts'
import type { MakeApiInstance } from './api-instance.ts'
import { checkedAgainstDocument } from './openapi-check.ts'
import { jobsContract } from './api-jobs.ts'
import { phpContract } from './api-php.ts'
import { sslContract } from './api-ssl.ts'
import { systemContract } from './api-system.ts'

/** The REST API's contract; every runtime passes the same one, each answer as the document has it. */
export const apiContract = (name: string, makeUnchecked: MakeApiInstance): void => {
  const makeInstance = checkedAgainstDocument(makeUnchecked)
  describe(`API on ${name}`, () => {
    generalContract(makeInstance)
    authContract(makeInstance)
    accountsContract(makeInstance)
    domainsContract(makeInstance)
    databasesContract(makeInstance)
    filesContract(makeInstance)
    phpContract(makeInstance)
    jobsContract(makeInstance)
    sslContract(makeInstance)
    systemContract(makeInstance)
    documentContract(makeInstance)
  })
}
