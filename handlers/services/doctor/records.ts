import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { ListedApplication } from '../../ports/store/application-store.ts'
import type {
  AccountRow,
  BackupRow,
  CertificateRow,
  DatabaseRow,
  OperationRow,
  PlanRow,
} from '../../ports/store/records.ts'
import type { DatabaseUserRow } from '../../ports/store/databases/database-users-store.ts'
import type { ListedSftpUser } from '../../ports/store/sftp/sftp-user-store.ts'
import type { VirtualHostSpec } from '../../ports/host/web-server.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { VirtualHosts } from '../virtual-hosts/virtual-hosts.ts'

/** What the panel's store says should be, at one moment. */
export interface Records {
  accounts: AccountRow[]
  plans: Pick<PlanRow, 'name' | 'io_weight'>[]
  databases: (DatabaseRow & { username: string })[]
  databaseUsers: (DatabaseUserRow & { username: string })[]
  /** Addresses from which databases may be reached, by usernames; all accounts are there. */
  databaseAddresses: ReadonlyMap<string, readonly string[]>
  sftpUsers: readonly ListedSftpUser[]
  applications: ListedApplication[]
  virtualHosts: VirtualHostSpec[]
  /** Usernames of which a move has left a copy on this host. */
  copies: ReadonlySet<string>
  certificates: CertificateRow[]
  backups: BackupRow[]
  operations: OperationRow[]
  /** Subjects that something changes, also what keeps no journal. */
  busy: string[]
}

/** Those of one host; what is open or busy is told of all. */
export const readRecords = async (
  {
    store,
    journal,
    vhosts,
  }: Pick<ServiceDeps, 'store'> & {
    journal: Journal
    vhosts: VirtualHosts
  },
  hostId: number,
): Promise<Records> => {
  const busy = await journal.busy()
  const operations = await store.openOperations()
  const accounts = (await store.listAccounts()).rows.filter(({ host_id }) => host_id === hostId)
  const here = new Set(accounts.map(({ id }) => id))
  const isHere = ({ account_id: id }: { account_id: number | null }): boolean =>
    id === null ? hostId === LOCAL_HOST : here.has(id)
  const databases: Records['databases'] = []
  const databaseUsers: Records['databaseUsers'] = []
  const databaseAddresses = new Map<string, string[]>()
  for (const { id, username } of accounts) {
    for (const row of await store.listDatabases(id)) databases.push({ ...row, username })
    for (const row of await store.listDatabaseUsers(id)) databaseUsers.push({ ...row, username })
    const rows = await store.listDatabaseAddresses(id)
    databaseAddresses.set(username, rows.map(({ address }) => address).sort())
  }
  return {
    accounts,
    plans: await store.listPlans(),
    databases,
    databaseUsers,
    databaseAddresses,
    sftpUsers: (await store.listSftpUsers()).rows.filter(isHere),
    applications: (await store.listApplications()).rows.filter(isHere),
    virtualHosts: await vhosts.all(hostId),
    copies: new Set(
      (await store.listAccountCopies())
        .filter(({ host_id }) => host_id === hostId)
        .map(({ username }) => username),
    ),
    certificates: (await store.listCertificates()).rows.filter(isHere),
    backups: (await store.listBackups()).rows.filter(({ host_id }) => host_id === hostId),
    operations,
    busy,
  }
}
