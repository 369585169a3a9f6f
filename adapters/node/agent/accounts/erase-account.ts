import type { AccountRow } from '../registry/accounts.ts'
import type { UsersDeps } from './account-work.ts'

/**
 * Removes all that belongs to an account. Every step looks first and may be
 * repeated; the registry row is the caller's to drop afterwards. The home is
 * emptied as the account while its user exists; root then removes what is left
 * of it in a place no tenant can reach.
 */
export const eraseAccount = async (deps: UsersDeps, row: AccountRow): Promise<void> => {
  const { host, homes, files, hooks, log } = deps
  await hooks.stopPhp(row.username)
  await files.closedDuring(row.username, () => host.endProcesses(row))
  await hooks.removeLogins(row)
  await hooks.removeHosting(row.username)
  if (await homes.exists(row)) {
    try {
      await files.empty(row)
    } catch (error) {
      // E.g. a file of root in it: the removal below takes it.
      log.warn('a home could not be emptied as its account', {
        username: row.username,
        error: error instanceof Error ? error.message : String(error),
      })
    }
  }
  await files.closedDuring(row.username, () => host.endProcesses(row))
  await hooks.releasePrograms(row)
  await host.removeUser(row)
  await homes.remove(row)
}
