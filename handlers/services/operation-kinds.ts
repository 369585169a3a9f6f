import { accountQuotaKinds } from './account-changes.ts'
import { accountOperationKinds } from './account-operations.ts'
import { backupOperationKinds } from './backup-operations.ts'
import { certificateOperationKinds } from './certificate-operations.ts'
import { databaseOperationKinds } from './database-operations.ts'
import { domainOperationKinds } from './domain-operations.ts'
import type { Journal, OperationKind } from './journal.ts'
import { phpOperationKinds } from './php-operations.ts'
import type { ServiceDeps } from './service-deps.ts'
import type { VirtualHosts } from './virtual-hosts.ts'

/** Every kind of operation that the journal can settle. */
export const operationKinds = (
  deps: ServiceDeps & { journal: Journal; vhosts: VirtualHosts },
): OperationKind[] =>
  [
    accountOperationKinds,
    accountQuotaKinds,
    domainOperationKinds,
    databaseOperationKinds,
    backupOperationKinds,
    certificateOperationKinds,
    phpOperationKinds,
  ].flatMap((kinds) => kinds(deps))
