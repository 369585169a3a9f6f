import { conflict } from '#handlers/errors.ts'
import { removeAccountRoom } from '../../process/account-rooms.ts'
import { CommandError } from '../../process/run-command.ts'
import { IdTakenError } from './account-host.ts'
import type { AccountHost, HostAccount } from './account-host.ts'
import { NO_SHELL, noLoginShell } from './no-login-shell.ts'
import { endProcesses, processesOf } from './end-processes.ts'
import { isSharedGid, osGroupId, osUser, osUserName, shadowEntry, takenIds } from './os-names.ts'
import { createFilesystemQuota } from '../../machine/filesystem-quota.ts'
import { aliasesOf, isAliasName, removeAlias } from '../sftp/users/alias-users.ts'
import { passwdTool, passwdToolsEnded } from './passwd-tools.ts'
import { removeLeftovers } from './remove-leftovers.ts'
import { SPOOL_PATHS, forgetJobs, holdJobs, removeSpool, restoreJobs } from './spool.ts'
import type { SpoolPaths } from './spool.ts'

/** shadow(5) expiry "1970-01-02": closes key logins too, which a locked password does not. */
const EXPIRED_DAY = '1'

/** Whether the system's user of that name is the one this installation made. */
const isOurs = async ({ username, uid, home }: HostAccount): Promise<boolean> => {
  const user = await osUser(username)
  return user !== null && user.uid === uid && user.home === home
}

/** Whether another user has this account's uid: then nothing that bears it is ours to end or remove. */
const isForeignUid = async ({ username, uid }: HostAccount): Promise<boolean> => {
  const name = await osUserName(uid)
  // Its users for one folder bear it as well.
  return name !== null && name !== username && !isAliasName(name, username)
}

/** groupadd(8), useradd(8): the id is not unique. */
const ID_TAKEN = 4

const orIdTaken =
  (username: string) =>
  (error: unknown): never => {
    if (error instanceof CommandError && error.code === ID_TAKEN)
      throw new IdTakenError(username, error)
    throw error
  }

const mustBeOurs = async (account: HostAccount): Promise<void> => {
  if (!(await isOurs(account)))
    throw conflict(
      `The system user "${account.username}" is not the one this installation made: its uid or home was changed. Correct it in /etc/passwd first.`,
    )
}

/**
 * Hosting accounts as users of this machine (needs root). `heldDir` keeps the
 * cron tables and at jobs of suspended accounts, `spool` says where they are.
 */
export const createOsAccounts = (
  heldDir: string,
  spool: SpoolPaths = SPOOL_PATHS,
): AccountHost => ({
  newIds: async () => {
    const taken = await takenIds()
    return { isFree: (uid) => !taken.has(uid) }
  },
  nameUse: async (username) => {
    const [user, groupId] = await Promise.all([osUser(username), osGroupId(username)])
    if (user !== null) return 'user'
    return groupId === null ? null : 'group'
  },
  createUser: async ({ username, uid, gid, home }) => {
    // A deleted account's number may live on in a process somebody else started under it.
    if ((await processesOf(uid)).length > 0) throw new IdTakenError(username)
    await passwdTool('groupadd', ['--gid', String(gid), '--', username]).catch(orIdTaken(username))
    if (await isSharedGid(username, gid)) throw new IdTakenError(username)
    const useradd = passwdTool('useradd', [
      '--uid',
      String(uid),
      '--gid',
      String(gid),
      '--home-dir',
      home,
      '--no-create-home',
      '--no-log-init',
      '--shell',
      await noLoginShell(),
      // No sub-uids: user namespaces with foreign uids are nothing a tenant needs.
      '--key',
      'SUB_UID_COUNT=0',
      '--key',
      'SUB_GID_COUNT=0',
      '--',
      username,
    ])
    await useradd.catch(orIdTaken(username))
  },
  removeUser: async (account) => {
    const { username, gid } = account
    if (!(await isForeignUid(account))) await removeLeftovers(account)
    await removeAccountRoom(account.uid)
    // What removes them otherwise goes on without those that it cannot.
    for (const name of await aliasesOf(account)) await removeAlias(account, name)
    if (await isOurs(account)) await passwdTool('userdel', ['--', username])
    // userdel took the group along where login.defs says so.
    if ((await osGroupId(username)) === gid) {
      // A user of somebody else's with the same number keeps a group of that number.
      const force = (await isSharedGid(username, gid)) ? ['--force'] : []
      await passwdTool('groupdel', [...force, '--', username])
    }
    if (!(await isForeignUid(account))) await removeSpool(account, spool)
    await forgetJobs(account, heldDir)
  },
  setPassword: async (account, password) => {
    await mustBeOurs(account)
    // On standard input: arguments are visible to every user of the machine.
    await passwdTool('chpasswd', [], `${account.username}:${password}\n`)
  },
  setDiskQuota: async (account, diskQuotaMb) => {
    await mustBeOurs(account)
    await createFilesystemQuota(account.home).set(account.uid, diskQuotaMb)
  },
  lockMemory: async (account) => {
    await mustBeOurs(account)
    const [user, shadow] = await Promise.all([
      osUser(account.username),
      shadowEntry(account.username),
    ])
    return {
      shell: user?.shell ?? NO_SHELL,
      passwordLocked: shadow?.locked ?? true,
      expireDay: shadow?.expireDay ?? '',
    }
  },
  lock: async (account) => {
    await mustBeOurs(account)
    const { username } = account
    await passwdTool('usermod', [
      '--lock',
      '--shell',
      NO_SHELL,
      '--expiredate',
      EXPIRED_DAY,
      '--',
      username,
    ])
    // Opened again with the jails that they are kept in.
    for (const name of await aliasesOf(account))
      await passwdTool('usermod', ['--expiredate', EXPIRED_DAY, '--', name])
    await holdJobs(account, heldDir, spool)
  },
  unlock: async (account, memory) => {
    await mustBeOurs(account)
    const { username } = account
    const now = await shadowEntry(username)
    await restoreJobs(account, heldDir, spool)
    await passwdTool('usermod', [
      ...(memory.passwordLocked || now?.locked !== true ? [] : ['--unlock']),
      '--shell',
      memory.shell,
      '--expiredate',
      memory.expireDay,
      '--',
      username,
    ])
  },
  settled: passwdToolsEnded,
  endProcesses: async (account) => {
    if (!(await isForeignUid(account))) await endProcesses(account)
  },
})
