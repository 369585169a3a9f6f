import type { ApplicationSpec } from '#handlers/ports/host/applications.ts'
import type { DatabaseEngine, PhpMode } from '#handlers/ports/store/records.ts'
import type { DatabaseRights } from '#handlers/ports/host/databases/database-users.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'

/** What the programs of an account may use together. */
export interface AccountLimits {
  /** Processes with their threads. */
  processes: number
  memoryMb: number
}

/** What all programs of an account share, and its part where that is short. 0: no limit. */
export interface AccountShares {
  memoryTotalMb: number
  cpuWeight: number
  /** Of one processor. */
  cpuPercent: number
  ioWeight: number
}

/** A hosting account that this installation made and that is not being removed. */
export interface RegisteredAccount {
  username: string
  uid: number
  gid: number
  /** Absolute path. */
  home: string
  suspended: boolean
  /** Null: the host's default version. */
  phpVersion: string | null
  phpMode: PhpMode
  /** Megabytes; 0 or less is unlimited. */
  diskQuotaMb: number
  /** Null until the panel told them: then those of any tenant's program hold. */
  limits: AccountLimits | null
}

/** A database that this installation made. */
export interface RegisteredDatabase {
  engine: DatabaseEngine
  database: string
  user: string
  username: string
  locked: boolean
}

/** What a further user may do in one database; see `DatabaseRights` of the port. */
export interface RegisteredGrant {
  database: string
  rights: DatabaseRights
}

/** A further user of an account's databases, beside the one that each was made with. */
export interface RegisteredDatabaseUser {
  engine: DatabaseEngine
  user: string
  username: string
  locked: boolean
  grants: RegisteredGrant[]
}

/** What an application is started with. */
export interface ApplicationStart {
  spec: ApplicationSpec
  /** Values of secret variables by name; they never leave the agent but for the application itself. */
  secrets: Record<string, string>
}

/** An application of an account, as its owner has it now. */
export interface RegisteredApplication extends ApplicationStart {
  /** What was deployed last: that is started again, whatever was changed since. Null: nothing was. */
  live: ApplicationStart | null
  /** What the owner said last. */
  wanted: 'running' | 'stopped'
}

export type OperationState = 'open' | 'done' | 'undone'

/** One call that changes the host; several calls may share the caller's operation id. */
export interface RegisteredOperation {
  id: string
  /** `<port>.<method>`, e.g. `users.create`. */
  kind: string
  /** What exactly it works on: a username, or `<engine>:<database>`. */
  subject: string
  state: OperationState
  /** Names of completed steps, in order. */
  steps: string[]
  /** What settling needs; never a secret. */
  data: Record<string, unknown>
  /** What the call answered; null while open. */
  result: unknown
}

/** Identity of an operation: repeating a call repeats all three. */
export type OperationKey = Pick<RegisteredOperation, 'id' | 'kind' | 'subject'>

/**
 * What the agent made on this host. Root-owned and the only authority: a name
 * that a caller sends is looked up here, and uid, paths and commands come from
 * here. Every method is synchronous and durable when it returns.
 */
export interface Registry {
  /** Null for unknown accounts and those being created or removed. */
  account(username: string): RegisteredAccount | null
  accounts(): RegisteredAccount[]
  /** No effect for an unknown account. */
  setPhp(username: string, version: string, mode: PhpMode): void

  /** By primary name only. */
  vhost(domain: string): VirtualHostSpec | null
  vhosts(): VirtualHostSpec[]
  vhostsOf(username: string): VirtualHostSpec[]
  /** Puts and removes in one transaction. */
  changeVhosts(put: readonly VirtualHostSpec[], remove: readonly string[]): void
  /** The whole set at once. */
  replaceVhosts(hosts: readonly VirtualHostSpec[]): void

  database(engine: DatabaseEngine, database: string): RegisteredDatabase | null
  databasesOf(username: string): RegisteredDatabase[]
  databases(): RegisteredDatabase[]
  /** False when the name or the user exists already in this engine. */
  addDatabase(row: RegisteredDatabase): boolean
  removeDatabase(engine: DatabaseEngine, database: string): void
  setDatabaseLocked(engine: DatabaseEngine, database: string, locked: boolean): void
  /** Gives a database's own user another name. */
  renameDatabaseOwner(engine: DatabaseEngine, database: string, user: string): void

  /** Further users of databases. */
  databaseUser(engine: DatabaseEngine, user: string): RegisteredDatabaseUser | null
  databaseUsersOf(username: string): RegisteredDatabaseUser[]
  databaseUsers(): RegisteredDatabaseUser[]
  /** Records it, or what it is now. */
  putDatabaseUser(row: RegisteredDatabaseUser): void
  renameDatabaseUser(engine: DatabaseEngine, from: string, to: string): void
  removeDatabaseUser(engine: DatabaseEngine, user: string): void

  /** Addresses from which the databases of an account may be reached, sorted. */
  databaseAddressesOf(username: string): string[]
  /** Makes them exactly these. */
  putDatabaseAddresses(username: string, addresses: readonly string[]): void

  application(username: string, name: string): RegisteredApplication | null
  /** By name. */
  applicationsOf(username: string): RegisteredApplication[]
  applications(): RegisteredApplication[]
  /** Records what it is now; a new one is to be stopped, of one that is there the rest stays. */
  putApplication(now: ApplicationStart): void
  /** Records that visitors are sent to this, and that it shall run. */
  takeApplication(live: ApplicationStart): void
  wantApplication(username: string, name: string, wanted: 'running' | 'stopped'): void
  removeApplication(username: string, name: string): void

  /** Owner of the certificate that is kept for the domain, `username` null for the panel's; null: none is kept. */
  certificate(domain: string): { username: string | null } | null
  certificatesOf(username: string): string[]
  certificates(): { domain: string; username: string | null }[]
  /** Records that files may lie there; repeating it is fine. */
  addCertificate(domain: string, username: string | null): void
  removeCertificate(domain: string): void

  operation(key: OperationKey): RegisteredOperation | null
  /** Records the operation as open; the existing row when there is one. */
  openOperation(key: OperationKey, data: Record<string, unknown>): RegisteredOperation
  recordStep(key: OperationKey, step: string): void
  closeOperation(key: OperationKey, state: 'done' | 'undone', result?: unknown): void
  /** Oldest first; `kindPrefix` e.g. `databases.`. */
  openOperations(kindPrefix: string): RegisteredOperation[]
}

/** Runs work of one account after the other; different accounts run side by side. */
export type AccountLock = <T>(username: string, work: () => Promise<T>) => Promise<T>
