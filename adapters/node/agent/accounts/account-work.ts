import type { Log } from '#handlers/ports/log.ts'
import type { OpenRegistry } from '../registry/registry.ts'
import type { AccountLock } from '../registry/types.ts'
import type { AccountHost, HostAccount } from './account-host.ts'
import type { HomeDirectories } from './home-directory.ts'

/** What the users port asks of the file helpers. */
export interface AccountFiles {
  /** Makes the content of a new home, as the account. */
  populate(account: HostAccount, primaryDomain: string): Promise<void>
  /** Removes everything in the home, as the account. */
  empty(account: HostAccount): Promise<void>
  usedBytes(account: HostAccount): Promise<number>
  /** Ends the account's helper; none is started until `work` is done. */
  closedDuring(username: string, work: () => Promise<void>): Promise<void>
}

/** What other parts of the agent hold for an account. Each may be called repeatedly. */
export interface AccountHooks {
  /** Stops the account's PHP and returns when it is gone. */
  stopPhp(username: string): Promise<void>
  /** Replaces the account's running PHP by one that is started anew. */
  renewPhp(username: string): Promise<void>
  /** Holds the account's programs together to what the records say, those that run too. */
  holdPrograms(account: HostAccount): Promise<void>
  /** Nothing of the account runs any more: what it was held with is removed. */
  releasePrograms(account: HostAccount): Promise<void>
  /** Removes databases and virtual hosts that are still there when the account goes. */
  removeHosting(username: string): Promise<void>
  /** Lets the account in by SFTP, in its jail, and lets it send mail. */
  openLogins(account: HostAccount): Promise<void>
  /** Lets it in no more; who is in is ended with its processes. What it sent is held. */
  closeLogins(account: HostAccount): Promise<void>
  /** The same, and leaves nothing of it. */
  removeLogins(account: HostAccount): Promise<void>
}

/** What the users port is made of. */
export interface UsersDeps {
  registry: OpenRegistry
  lock: AccountLock
  host: AccountHost
  homes: HomeDirectories
  files: AccountFiles
  hooks: AccountHooks
  log: Log
}
