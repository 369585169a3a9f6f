import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { createAccountRecords } from './accounts.ts'
import type { AccountRecords, AccountRow } from './accounts.ts'
import { createApplicationRecords } from './applications.ts'
import { createCallRecords } from './calls.ts'
import type { CallRecords } from './calls.ts'
import { createDatabaseAddressRecords } from './database-addresses.ts'
import { createDatabaseUserRecords } from './database-users.ts'
import { createFrontSiteRecords } from './front-sites.ts'
import type { FrontSiteRecords } from './front-sites.ts'
import { createHostingRecords } from './hosting.ts'
import { createOperationRecords } from './operations.ts'
import type { OperationRecords } from './operations.ts'
import { migrateRegistry } from './schema.ts'
import { createRemovalRecords } from './removals.ts'
import type { RemovalRecords } from './removals.ts'
import { createTermRecords } from './terms.ts'
import type { TermRecords } from './terms.ts'
import type { RegisteredAccount, Registry } from './types.ts'

/** The registry with its lifecycle side, which only the users port gets. */
export interface OpenRegistry extends Registry {
  records: AccountRecords
  operations: OperationRecords
  /** Signed calls that change something. */
  calls: CallRecords
  /** Accounts that were to go by such calls. */
  removals: RemovalRecords
  /** Turns of panels. */
  terms: TermRecords
  /** What this machine has as a front. */
  frontSites: FrontSiteRecords
  /** Runs `work` as one durable change. */
  together<T>(work: () => T): T
  close(): void
}

const publicView = (row: AccountRow): RegisteredAccount => ({
  username: row.username,
  uid: row.uid,
  gid: row.gid,
  home: row.home,
  suspended: row.suspended,
  phpVersion: row.phpVersion,
  phpMode: row.phpMode,
  diskQuotaMb: row.diskQuotaMb,
  limits: row.limits,
})

/**
 * Opens (creates) the registry at `file`, its directory 0700. The database is
 * locked for as long as it is open: a second agent on the same state directory
 * fails here, and the kernel frees the lock when the process dies. Every commit
 * is synced to disk, so what was answered survives a power cut.
 */
export const openRegistry = (file: string): OpenRegistry => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const db = new Database(file, { timeout: 5000 })
  try {
    // Exclusive before WAL: then there is no shared-memory file, and the lock is kept.
    db.pragma('locking_mode = EXCLUSIVE')
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    migrateRegistry(db)
  } catch (error) {
    db.close()
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY')
      throw new Error(
        `Another agent uses the registry ${file}. Stop it first, or give this instance its own [paths] state_dir.`,
        { cause: error },
      )
    throw error
  }
  const records = createAccountRecords(db)
  const operations = createOperationRecords(db)
  const setPhp = db.prepare<[string, string, string]>(
    'update accounts set php_version = ?, php_mode = ? where username = ?',
  )
  return {
    records,
    operations,
    calls: createCallRecords(db),
    removals: createRemovalRecords(db),
    terms: createTermRecords(db),
    frontSites: createFrontSiteRecords(db),
    ...createHostingRecords(db),
    ...createDatabaseUserRecords(db),
    ...createDatabaseAddressRecords(db),
    ...createApplicationRecords(db),
    account: (username) => {
      const row = records.find(username)
      return row?.state === 'ready' ? publicView(row) : null
    },
    accounts: () =>
      records
        .all()
        .filter((row) => row.state === 'ready')
        .map(publicView),
    setPhp: (username, version, mode) => void setPhp.run(version, mode, username),
    operation: operations.operation,
    openOperation: operations.openOperation,
    recordStep: operations.recordStep,
    closeOperation: operations.closeOperation,
    openOperations: operations.openOperations,
    together: (work) => db.transaction(work).immediate(),
    close: () => void db.close(),
  }
}
