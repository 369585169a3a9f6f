import { accountOperationKinds } from './account-operations.ts'
import type { Accounts } from './accounts.ts'
import { createAccounts } from './accounts.ts'
import type { Auth } from './auth.ts'
import { createAuth } from './auth.ts'
import { databaseOperationKinds } from './database-operations.ts'
import type { Bandwidth } from './bandwidth.ts'
import { createBandwidth } from './bandwidth.ts'
import type { Databases } from './databases.ts'
import { certificateOperationKinds } from './certificate-operations.ts'
import type { Certificates } from './certificates.ts'
import { createCertificates } from './certificates.ts'
import { createDatabases } from './databases.ts'
import { domainOperationKinds } from './domain-operations.ts'
import type { Domains } from './domains.ts'
import { createDomains } from './domains.ts'
import type { Files } from './files.ts'
import { createFiles } from './files.ts'
import type { Journal } from './journal.ts'
import { createJournal } from './journal.ts'
import { phpOperationKinds } from './php-operations.ts'
import type { Php } from './php.ts'
import { createPhp } from './php.ts'
import type { ServiceDeps } from './service-deps.ts'
import type { System } from './system.ts'
import { createSystem } from './system.ts'
import { createVirtualHosts } from './virtual-hosts.ts'

/** All services of the panel, sharing one journal and its locks. */
export interface Services {
  auth: Auth
  accounts: Accounts
  domains: Domains
  files: Files
  databases: Databases
  certificates: Certificates
  php: Php
  system: System
  bandwidth: Bandwidth
  settleOpenOperations: Journal['settleOpenOperations']
}

export const createServices = (
  deps: ServiceDeps,
  options: { setupToken: string | null },
): Services => {
  const journal = createJournal(deps)
  const shared = { ...deps, journal, vhosts: createVirtualHosts(deps) }
  for (const kinds of [
    accountOperationKinds,
    domainOperationKinds,
    databaseOperationKinds,
    certificateOperationKinds,
    phpOperationKinds,
  ]) {
    for (const kind of kinds(shared)) journal.register(kind)
  }
  return {
    auth: createAuth(deps, options),
    accounts: createAccounts(shared),
    domains: createDomains(shared),
    files: createFiles(deps),
    databases: createDatabases(shared),
    certificates: createCertificates(shared),
    php: createPhp(shared),
    system: createSystem(shared),
    bandwidth: createBandwidth(shared),
    settleOpenOperations: journal.settleOpenOperations,
  }
}
