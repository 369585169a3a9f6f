import type { PlannedRenewal } from '../host/certificates.ts'
import type { AccessStore } from './access-store.ts'
import type { ApplicationStore } from './application-store.ts'
import type { CronStore } from './cron-store.ts'
import type { DatabaseSizesStore } from './databases/database-sizes-store.ts'
import type { DatabaseAddressesStore } from './databases/database-addresses-store.ts'
import type { DatabaseUsersStore } from './databases/database-users-store.ts'
import type { FiguresStore } from './figures-store.ts'
import type { SftpLoginStore } from './sftp/sftp-login-store.ts'
import type { SftpUserStore } from './sftp/sftp-user-store.ts'
import type { SftpStore } from './sftp/sftp-store.ts'
import type { EventStore } from '../events.ts'
import type { ListQuery, Page } from './list-query.ts'
import type { JobStore } from '../jobs.ts'
import type { MetricStore } from './metrics.ts'
import type { NotificationStore } from './notifications/notification-store.ts'
import type { HostStore, MoveStore, PlaceDemand } from './host-store.ts'
import type { PanelNameStore } from './panels/panel-name-store.ts'
import type { RateStore } from './panels/rate-store.ts'
import type { RefillStore } from './refill-store.ts'
import type { ChannelStore } from './hosts/channel-store.ts'
import type { TrustStore } from './hosts/trust-store.ts'
import type { LeaseStore } from './lease-store.ts'
import type { PasskeyStore } from './passkey-store.ts'
import type { PeopleStore } from './people-store.ts'
import type { PlanStore } from './plan-store.ts'
import type { LoginAttemptStore } from './access/login-attempt-store.ts'
import type { ResellerShortage, ResellerStore } from './access/reseller-store.ts'
import type { BackupScheduleStore } from './backup-schedule-store.ts'
import type { SessionStore } from './session-store.ts'
import type { SiteSettingsStore } from './site-settings-store.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import type {
  AccountRow,
  AccountStatus,
  AdminRow,
  BackupRow,
  CacheSample,
  CertificateRow,
  DatabaseRow,
  ListedDatabase,
  DomainRow,
  OperationRow,
  Timestamp,
} from './records.ts'

export type { ListQuery, Page } from './list-query.ts'

/** What a domain shows of its site's certificate. */
export type DomainSslState = Pick<DomainRow, 'id' | 'ssl_status' | 'ssl_expires_at'>

/** What several accounts have together. */
export interface AccountTotals {
  accounts: number
  disk_used_mb: number
  domains: number
  databases: number
  certificates: number
  /** Copies and snapshots, which outlive the accounts. */
  backups: number
}

/**
 * The panel's records. Each method is one atomic change: D1 has no interactive
 * transactions, so multi-row changes are whole methods here. Duplicates of a
 * unique column answer `'duplicate'`, limits `'limit'`, never an exception.
 */
export interface Store
  extends
    AccessStore,
    SessionStore,
    LoginAttemptStore,
    PasskeyStore,
    PeopleStore,
    PlanStore,
    JobStore,
    LeaseStore,
    RateStore,
    PanelNameStore,
    MetricStore,
    EventStore,
    SnapshotStore,
    BackupScheduleStore,
    RefillStore,
    HostStore,
    TrustStore,
    ChannelStore,
    MoveStore,
    SiteSettingsStore,
    CronStore,
    ApplicationStore,
    DatabaseUsersStore,
    DatabaseAddressesStore,
    DatabaseSizesStore,
    SftpStore,
    SftpLoginStore,
    SftpUserStore,
    NotificationStore,
    FiguresStore,
    ResellerStore {
  /** Creates the first administrator unless one was ever created; false when setup is closed. */
  createFirstAdmin(row: Omit<AdminRow, 'id' | 'status'>): Promise<AdminRow | null>
  /** Whether setup has been done, also when the administrator row is gone since. */
  setupDone(): Promise<boolean>
  /** Null when there is none; the case counts. */
  adminByName(username: string): Promise<AdminRow | null>
  /** Null when there is none, or no longer. */
  adminById(id: number): Promise<AdminRow | null>

  /** By id unless the query says otherwise. */
  listAccounts(query?: ListQuery): Promise<Page<AccountRow>>
  /** In whatever status; null when there is none, or no longer. */
  accountById(id: number): Promise<AccountRow | null>
  /** As `accountById`, by the system user's name. */
  accountByName(username: string): Promise<AccountRow | null>
  /** In whatever status, as the licence counts them. */
  countAccounts(): Promise<number>
  /** What accounts have together, in one statement; ids that are not there count nothing. */
  accountTotals(ids: readonly number[]): Promise<AccountTotals>
  /**
   * Inserts the account, its primary domain and the open operation together,
   * unless a limit (-1: none) or one of its reseller is reached, he may not give
   * the plan, its host is not what `place` demands (default: nothing), or a name is taken. Atomic: parallel calls cannot pass a limit.
   */
  insertAccount(
    account: Omit<AccountRow, 'id'>,
    primary: Omit<DomainRow, 'id' | 'account_id'>,
    operation: OperationRow,
    limits: { accounts: number; domains: number; place?: PlaceDemand },
  ): Promise<
    | { account: AccountRow; domain: DomainRow }
    | 'duplicate-username'
    | 'duplicate-domain'
    | 'account-limit'
    | 'domain-limit'
    | 'no-plan'
    | 'host'
    | `reseller:${ResellerShortage}`
  >
  /**
   * `endTokens` deletes the API tokens with it, `endPeople` ends sessions and tokens of the
   * account's persons in it. No effect when `change` names a plan that is not there.
   */
  updateAccount(
    id: number,
    change: Partial<Omit<AccountRow, 'id'>>,
    options?: { endTokens?: boolean; endPeople?: boolean },
  ): Promise<void>
  /**
   * Changes the status only if it is `from` now; false when it was not. Opens `operation`
   * with it, and ends the account's API tokens, and sessions and tokens of its persons in it.
   */
  transitAccount(
    id: number,
    from: AccountStatus[],
    to: AccountStatus,
    operation: OperationRow,
    change?: Partial<Omit<AccountRow, 'id' | 'status'>>,
  ): Promise<boolean>
  /** Deletes the account with its domain and database rows, and with the persons who belong to no other. */
  deleteAccount(id: number): Promise<void>

  /** With the owner's name; by id unless the query says otherwise. */
  listDomains(query?: ListQuery): Promise<Page<DomainRow & { username: string }>>
  /** Null when there is none, or no longer. */
  domainById(id: number): Promise<(DomainRow & { username: string }) | null>
  /** By the whole name, A-label, lower case; null when nobody here has it. */
  domainByName(name: string): Promise<(DomainRow & { username: string }) | null>
  /** Rows whose name is `name`, a parent of it or below it, for the ownership rule. */
  domainsRelatedTo(name: string): Promise<DomainRow[]>
  /** Of all accounts and types, as the licence counts them. */
  countDomains(): Promise<number>
  /**
   * `'limit'` when all accounts together have `limits.total` domains (negative: no
   * limit), `'account-limit'` when this one has `limits.ofAccount` of them, and
   * `'reseller-limit'` when its reseller's accounts have as many as he may (null: neither
   * is asked). Atomic: parallel calls cannot pass any.
   */
  insertDomain(
    row: Omit<DomainRow, 'id'>,
    operation: OperationRow,
    limits: { total: number; ofAccount: number | null },
  ): Promise<DomainRow | 'duplicate' | 'limit' | 'account-limit' | 'reseller-limit'>
  /** What is absent in `change` stays. No effect when the domain is gone. */
  updateDomain(id: number, change: Partial<Omit<DomainRow, 'id'>>): Promise<void>
  /** With the record of its certificate. Gone already: no error. */
  deleteDomain(id: number): Promise<void>

  /** Oldest first. */
  listDatabases(accountId: number): Promise<DatabaseRow[]>
  /** Of all accounts, or those of a reseller; oldest first unless sorted. */
  listAllDatabases(query?: ListQuery): Promise<Page<ListedDatabase>>
  /** `'limit'` when the account has `limit` databases, `'reseller-limit'` as above (null: neither is asked); atomic. */
  insertDatabase(
    row: Omit<DatabaseRow, 'id'>,
    operation: OperationRow,
    limit: number | null,
  ): Promise<DatabaseRow | 'duplicate' | 'limit' | 'reseller-limit'>
  /** The record alone, with further users who have no other; the database itself is the host's. Gone already: no error. */
  deleteDatabase(id: number): Promise<void>

  /** By domain unless the query says otherwise. */
  listCertificates(query?: ListQuery): Promise<Page<CertificateRow>>
  /** By the name of the site; null when it has none. */
  certificateByDomain(domain: string): Promise<CertificateRow | null>
  /** Inserts or replaces it, and sets the certificate state of the site's domains with it. */
  putCertificate(row: CertificateRow, domains: readonly DomainSslState[]): Promise<void>
  /** No effect when there is none. */
  setCertificateError(domain: string, error: string | null): Promise<void>
  /** Of this version alone: another one has a time of its own. */
  setCertificateRenewal(
    domain: string,
    version: string,
    renewal: PlannedRenewal | null,
  ): Promise<void>
  /** Sets the certificate state of the site's domains with it. Gone already: no error. */
  deleteCertificate(domain: string, domains: readonly DomainSslState[]): Promise<void>

  /** Newest first unless sorted. Backups outlive their account's row. */
  listBackups(query?: ListQuery): Promise<Page<BackupRow>>
  /** Inserts or replaces the copy of this file at this location. */
  putBackup(row: BackupRow): Promise<void>
  /** The record of one copy; the file itself is the host's. Gone already: no error. */
  deleteBackup(filename: string, location: string): Promise<void>
  /** Name of the traffic batch that was added last; null before the first. */
  trafficBatch(hostId?: number): Promise<string | null>
  /** Adds bytes by domain to their accounts' sums of `month` (a new month begins at 0) and remembers the batch; unknown domains are nobody's. The batch that was added last counts once, whoever adds it again. */
  addTraffic(
    batch: string,
    month: string,
    bytes: Record<string, number>,
    hostId?: number,
  ): Promise<void>

  /** Adds to the step that begins at `at`, by domain name; unknown domains are nobody's. Deletes steps before `deleteBefore`. */
  addCacheSamples(
    at: Timestamp,
    sites: Readonly<Record<string, Omit<CacheSample, 'at'>>>,
    deleteBefore: Timestamp,
  ): Promise<void>
  /** Oldest first; steps without requests are not there. */
  cacheSamples(domainId: number): Promise<CacheSample[]>

  /** Writes down what is about to be done, before its first step. */
  openOperation(row: OperationRow): Promise<void>
  /**
   * Appends a completed step. With `term` only while a lease has it: false when another took it
   * over, and then nothing is written.
   */
  recordStep(operationId: string, step: string, term?: number): Promise<boolean>
  /**
   * Together with the event that its end is; one that has ended makes no second event. False when
   * it has ended already, or no lease has `term` any longer.
   */
  closeOperation(operationId: string, state: 'done' | 'undone', term?: number): Promise<boolean>
  /** What a crash may have left, oldest first. */
  openOperations(): Promise<OperationRow[]>
  /** Those of some kinds that ended so, begun at `since` or later; oldest first. */
  endedOperations(
    state: 'done' | 'undone',
    kinds: readonly string[],
    since: string,
  ): Promise<OperationRow[]>
}
