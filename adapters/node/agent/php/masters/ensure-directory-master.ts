import type { Log } from '#handlers/ports/log.ts'
import type { DirectoryMasters } from './directory-masters.ts'
import type { MasterPool, PoolMember } from './master-pool.ts'

/** The same line about an account comes at most this often. */
const COMPLAINT_MS = 60_000

/**
 * Makes sure that a master with settings of a directory runs; answers its
 * socket, or null where the virtual host's own master has to do: too many
 * others are in use, or PHP does not start with these settings.
 */
export const createEnsureDirectoryMaster = (
  pool: Pick<MasterPool, 'ensure'>,
  masters: Pick<DirectoryMasters, 'admit'>,
  log: Log,
): ((member: PoolMember) => Promise<string | null>) => {
  const complained = new Map<string, number>()
  const complain = (account: string, message: string): void => {
    const now = performance.now()
    if (now - (complained.get(account) ?? -COMPLAINT_MS) < COMPLAINT_MS) return
    complained.set(account, now)
    log.warn(message, { account })
  }

  return async (member) => {
    const { username, name } = member
    if (!masters.admit(username, name)) {
      complain(username, 'Settings of a directory have no effect: too many others are in use')
      return null
    }
    try {
      return await pool.ensure(member)
    } catch (error) {
      complain(username, `PHP did not start with the settings of a directory: ${String(error)}`)
      return null
    }
  }
}
