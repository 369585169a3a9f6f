import type { OperationRow, Timestamp } from '../records.ts'

/** An address or block from which an account's databases may be reached. */
export interface DatabaseAddressRow {
  id: number
  account_id: number
  /** As `remoteAddress` spells it. */
  address: string
  /** What it is, in the owner's words; may be empty. */
  note: string
  created_at: Timestamp
}

/** Part of the store: addresses from which databases may be reached. */
export interface DatabaseAddressesStore {
  /** Oldest first. */
  listDatabaseAddresses(accountId: number): Promise<DatabaseAddressRow[]>
  /** `'limit'` when the account has `limit` of them (null: no limit), `'duplicate'` when it has this one; else the operation is open too. */
  insertDatabaseAddress(
    row: Omit<DatabaseAddressRow, 'id'>,
    operation: OperationRow,
    limit: number | null,
  ): Promise<DatabaseAddressRow | 'duplicate' | 'limit'>
  /** Gone already: no error. */
  deleteDatabaseAddress(id: number): Promise<void>
}
