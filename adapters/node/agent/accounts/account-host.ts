import type { AccountRow, SuspendMemory } from '../registry/accounts.ts'

/** What of an account concerns the operating system; `AccountRow` has all of it. */
export type HostAccount = Pick<AccountRow, 'username' | 'uid' | 'gid' | 'home'>

/** The uid or gid chosen for an account belongs to somebody else; another one may do. */
export class IdTakenError extends Error {
  constructor(username: string, cause?: unknown) {
    super(`the ids chosen for ${username} are taken`, { cause })
    this.name = 'IdTakenError'
  }
}

/**
 * The operating system's side of hosting accounts: as root with users of their
 * own, or rootless with none. Every method may be repeated after a crash.
 */
export interface AccountHost {
  /** How the registry finds ids for a new account. Asked once per creation. */
  newIds(): Promise<{ uid: number; gid: number } | { isFree: (uid: number) => boolean }>
  /** What the system already has of that name. */
  nameUse(username: string): Promise<'user' | 'group' | null>
  /** Throws `IdTakenError` when somebody else took the ids meanwhile. */
  createUser(account: HostAccount): Promise<void>
  /** Removes user, group and spool files if they are this account's. */
  removeUser(account: HostAccount): Promise<void>
  setPassword(account: HostAccount, password: string): Promise<void>
  /** Tells the file system, where it keeps quotas; 0 is none. */
  setDiskQuota(account: HostAccount, diskQuotaMb: number): Promise<void>
  /** What `lock` is about to take away. */
  lockMemory(account: HostAccount): Promise<SuspendMemory>
  lock(account: HostAccount): Promise<void>
  unlock(account: HostAccount, memory: SuspendMemory): Promise<void>
  /** Waits for tools that an earlier, killed agent had started on the account. */
  settled(username: string): Promise<void>
  /** Ends every process of the account. */
  endProcesses(account: HostAccount): Promise<void>
}
