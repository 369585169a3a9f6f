import type {
  AccountRow,
  BackupRow,
  CertificateRow,
  DatabaseRow,
  OperationRow,
} from '../../ports/store/records.ts'
import type { VirtualHostSpec } from '../../ports/host/web-server.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** What the panel's store says should be, at one moment. */
export interface Records {
  accounts: AccountRow[]
  databases: (DatabaseRow & { username: string })[]
  virtualHosts: VirtualHostSpec[]
  certificates: CertificateRow[]
  backups: BackupRow[]
  operations: OperationRow[]
  /** Subjects that something changes, also what keeps no journal. */
  busy: string[]
}

export const readRecords = async ({
  store,
  journal,
  vhosts,
}: Pick<ServiceDeps, 'store'> & {
  journal: Journal
  vhosts: VirtualHosts
}): Promise<Records> => {
  const busy = journal.busy()
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
    busy,
  }
}
