import type { AccountHost } from './account-host.ts'

const nothing = async (): Promise<void> => undefined

/**
 * Hosting accounts without system users: every home belongs to the user who
 * runs Berth. There is no password, shell or schedule to lock, and processes
 * cannot be told apart by uid; PHP and file helpers are stopped by their owners.
 */
export const createRootlessAccounts = (): AccountHost => ({
  // Not by the name of the user: in a container there may be none of this id.
  newIds: async () => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }),
  nameUse: async () => null,
  createUser: nothing,
  removeUser: nothing,
  setPassword: nothing,
  setDiskQuota: nothing,
  lockMemory: async () => ({ shell: '', passwordLocked: false, expireDay: '' }),
  lock: nothing,
  unlock: nothing,
  settled: nothing,
  endProcesses: nothing,
})
