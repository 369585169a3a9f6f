/** What the host knows of a hosting account's OS user. */
export interface OsUser {
  username: string
  uid: number
  gid: number
  /** Absolute path. */
  home: string
}

/**
 * OS users of hosting accounts. Every change is idempotent by `operationId`:
 * repeating it answers what the first call answered. Only users that this
 * installation made are ever touched; any other name is a 409 or 404.
 */
export interface UsersPort {
  /**
   * Creates the OS user with its home (0710, group of the web server),
   * `public_html` with a placeholder page naming `primaryDomain`, `tmp`,
   * `sessions`, `logs`. 409 when the name is an OS user or group already,
   * or is reserved. On failure nothing is left.
   */
  create(input: {
    operationId: string
    username: string
    password: string
    primaryDomain: string
    diskQuotaMb: number
    /** Number that it shall have, when that is free and one for accounts; else, and by default, a fresh one. */
    uid?: number
  }): Promise<OsUser>
  /** Ends all processes, removes user, group, home, cron and mail spool. Done already: no error. */
  remove(input: { operationId: string; username: string }): Promise<void>
  /** Locks password and shell, stops PHP and all processes, remembers the earlier state. */
  suspend(input: { operationId: string; username: string }): Promise<void>
  /** Restores exactly the state before `suspend`. */
  unsuspend(input: { operationId: string; username: string }): Promise<void>
  /** Of the OS user. A suspended one stays locked, and has the new password once it is lifted. */
  setPassword(input: { operationId: string; username: string; password: string }): Promise<void>
  /** Disk quota of file operations from now on, and of the file system where it keeps quotas. */
  setDiskQuota(input: { operationId: string; username: string; diskQuotaMb: number }): Promise<void>
  /**
   * Processes (with their threads) and megabytes of memory of the account's programs.
   * PHP that runs is replaced by one that keeps to them where those of a process change;
   * what all programs share holds at once for those that run.
   */
  setLimits(input: {
    operationId: string
    username: string
    processes: number
    /** Of each process. */
    memoryMb: number
    /** Of all together; 0: no limit. */
    memoryTotalMb: number
    cpuWeight: number
    /** Of one processor; 0: no limit. */
    cpuPercent: number
    ioWeight: number
  }): Promise<void>
  /** Users this installation made, with their state. */
  list(): Promise<(OsUser & { suspended: boolean })[]>
  /** Megabytes used below the home. 404 for an unknown user. */
  diskUsedMb(input: { username: string }): Promise<number>
  /** What became of an operation: `null` when the host never saw it. */
  operation(input: { operationId: string }): Promise<{ state: 'open' | 'done' | 'undone' } | null>
}
