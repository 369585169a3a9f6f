import { describe } from 'vitest'
import { accountsContract } from './api-accounts.ts'
import { authContract } from './api-auth.ts'
import { databasesContract } from './api-databases.ts'
import { domainsContract } from './api-domains.ts'
import { filesContract } from './api-files.ts'
import { generalContract } from './api-general.ts'
import type { MakeApiInstance } from './api-instance.ts'
import { phpContract } from './api-php.ts'
import { systemContract } from './api-system.ts'

/** The REST API's contract; every runtime passes the same one. */
export const apiContract = (name: string, makeInstance: MakeApiInstance): void => {
  describe(`API on ${name}`, () => {
    generalContract(makeInstance)
    authContract(makeInstance)
    accountsContract(makeInstance)
    domainsContract(makeInstance)
    databasesContract(makeInstance)
    filesContract(makeInstance)
    phpContract(makeInstance)
    systemContract(makeInstance)
  })
}
