import type {
  AccountRow,
  BackupRow,
  CertificateRow,
  DatabaseRow,
  OperationRow,
} from '../../ports/records.ts'
import type { VirtualHostSpec } from '../../ports/web-server.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts.ts'

/** What the panel's store says should be, at one moment. */
export interface Records {
  accounts: AccountRow[]
  databases: (DatabaseRow & { username: string })[]
  virtualHosts: VirtualHostSpec[]
  certificates: CertificateRow[]
  backups: BackupRow[]
  operations: OperationRow[]
}

export const readRecords = async ({
  store,
  vhosts,
}: Pick<ServiceDeps, 'store'> & { vhosts: VirtualHosts }): Promise<Records> => {
  const operations = await store.openOperations()
  const accounts = (await store.listAccounts()).rows
  const databases: Records['databases'] = []
  for (const { id, username } of accounts)
    for (const row of await store.listDatabases(id)) databases.push({ ...row, username })
  return {
    accounts,
    databases,
    virtualHosts: await vhosts.all(),
    certificates: (await store.listCertificates()).rows,
    backups: (await store.listBackups()).rows,
    operations,
  }
}
