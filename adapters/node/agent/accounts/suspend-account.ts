import type { AccountRow } from '../registry/accounts.ts'
import type { UsersDeps } from './account-work.ts'

/**
 * Closes an account: recorded first, so that nothing starts for it any more,
 * then logins and schedules, then what runs. A second suspension keeps the
 * memory of the first; the state in between is not one to return to.
 */
export const suspendAccount = async (deps: UsersDeps, row: AccountRow): Promise<void> => {
  const { registry, host, files, hooks } = deps
  const memory = row.suspendMemory ?? (await host.lockMemory(row))
  registry.records.setSuspended(row.username, true, memory)
  await host.lock(row)
  await hooks.closeLogins(row)
  await hooks.stopPhp(row.username)
  await files.closedDuring(row.username, () => host.endProcesses(row))
  await hooks.releasePrograms(row)
}

/** Gives back exactly what the suspension took. No effect on an account that is not suspended. */
export const unsuspendAccount = async (deps: UsersDeps, row: AccountRow): Promise<void> => {
  if (row.suspendMemory) await deps.host.unlock(row, row.suspendMemory)
  deps.registry.records.setSuspended(row.username, false, null)
  await deps.hooks.holdPrograms(row)
  await deps.hooks.openLogins(row)
}
