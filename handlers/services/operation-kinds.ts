import { accountQuotaKinds } from './accounts/changes.ts'
import { accountOperationKinds } from './accounts/operations.ts'
import { applicationOperationKinds } from './applications/operations.ts'
import { backupOperationKinds } from './backups/operations.ts'
import { certificateOperationKinds } from './certificates/operations.ts'
import { databaseOperationKinds } from './databases/operations.ts'
import { databaseAddressOperationKinds } from './databases/address-operations.ts'
import { databaseUserOperationKinds } from './databases/user-operations.ts'
import { domainOperationKinds } from './domains/operations.ts'
import type { Fronts } from './fronts/fronts.ts'
import type { Journal, OperationKind } from './journal/journal.ts'
import { moveOperationKinds } from './moves/operations.ts'
import { phpOperationKinds } from './php/operations.ts'
import type { SftpTurn } from './sftp/sftp-turn.ts'
import type { ServiceDeps } from './service-deps.ts'
import { snapshotOperationKinds } from './backups/snapshots/operations.ts'
import type { VirtualHosts } from './virtual-hosts/virtual-hosts.ts'
import { wordpressOperationKinds } from './wordpress/operations.ts'

/** Every kind of operation that the journal can settle. */
export const operationKinds = (
  deps: ServiceDeps & {
    journal: Journal
    vhosts: VirtualHosts
    turn: SftpTurn
    fronts: Pick<Fronts, 'bringAccount'>
  },
): OperationKind[] =>
  [
    accountOperationKinds,
    accountQuotaKinds,
    domainOperationKinds,
    databaseOperationKinds,
    databaseUserOperationKinds,
    databaseAddressOperationKinds,
    backupOperationKinds,
    snapshotOperationKinds,
    certificateOperationKinds,
    phpOperationKinds,
    moveOperationKinds,
    wordpressOperationKinds,
    applicationOperationKinds,
  ].flatMap((kinds) => kinds(deps))
