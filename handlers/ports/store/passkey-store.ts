import type { PasskeyRow } from './access-records.ts'
import type { UserRef } from './access-store.ts'
import type { Timestamp } from './column-types.ts'

/** Part of the store: passkeys. */
export interface PasskeyStore {
  /** Oldest first. */
  listPasskeys(owner: UserRef): Promise<PasskeyRow[]>
  /** By what the browser calls it; null when nobody here has it. */
  passkeyByCredential(credentialId: string): Promise<PasskeyRow | null>
  /**
   * `'duplicate'` when the owner has one of that name, `'known'` when the device's key is
   * there already, `'limit'` when the owner has `limit` of them, `'owner-changed'` unless the
   * owner is active and its `not_before_secs` is `ownerNotBeforeSecs`, as with API tokens.
   */
  insertPasskey(
    row: Omit<PasskeyRow, 'id' | 'last_used_at'>,
    limit: number,
    ownerNotBeforeSecs: number,
  ): Promise<PasskeyRow | 'duplicate' | 'known' | 'limit' | 'owner-changed'>
  /**
   * Notes a use; false when it is gone, or was used with that count meanwhile (a count of 0
   * both before and now says nothing).
   */
  usePasskey(id: number, counter: number, at: Timestamp): Promise<boolean>
  /** False when the owner has none of that id. */
  deletePasskey(owner: UserRef, id: number): Promise<boolean>
  /** None there: no error. */
  deletePasskeys(owner: UserRef): Promise<void>
}
