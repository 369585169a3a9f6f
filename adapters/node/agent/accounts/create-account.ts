import { conflict, isAppError } from '#handlers/errors.ts'
import type { OsUser, UsersPort } from '#handlers/ports/host/users.ts'
import type { AccountRow } from '../registry/accounts.ts'
import type { OperationKey } from '../registry/types.ts'
import { failureRecord, repeatedFailure } from '../run-operation.ts'
import { IdTakenError } from './account-host.ts'
import type { UsersDeps } from './account-work.ts'

/** Other instances and administrators choose ids too. */
const ID_ATTEMPTS = 20

/** Records the account and makes its user, with ids that nobody else has. */
const createUser = async (
  { registry, host, homes }: UsersDeps,
  username: string,
  diskQuotaMb: number,
  wantedUid: number | undefined,
): Promise<AccountRow> => {
  const { records } = registry
  for (let attempt = 1; ; attempt += 1) {
    const wanted = { username, home: homes.pathOf(username), diskQuotaMb }
    const ids = await host.newIds()
    // Once: whoever has it then keeps it.
    const own = attempt === 1 && wantedUid !== undefined && 'isFree' in ids
    const row = records.reserve(wanted, own ? { ...ids, wanted: wantedUid } : ids)
    if (!row) throw new Error(`the name ${username} was taken inside its own lock`)
    try {
      await host.createUser(row)
      return row
    } catch (error) {
      if (!(error instanceof IdTakenError) || attempt === ID_ATTEMPTS) throw error
      await host.removeUser(row)
      records.forget(username)
    }
  }
}

/**
 * Creates an account or answers what this operation answered before. The name
 * is recorded together with the open operation before anything is made, so a
 * crash at any point leaves something that `undo` finds. Runs inside the lock.
 */
export const createAccount = async (
  deps: UsersDeps,
  key: OperationKey,
  input: Parameters<UsersPort['create']>[0],
  undo: (key: OperationKey, failure: unknown) => Promise<void>,
): Promise<OsUser> => {
  const { registry, host, homes, files, hooks } = deps
  const before = registry.operation(key)
  // closeOperation below wrote this result, and nothing else closes a creation as done.
  if (before?.state === 'done') return before.result as OsUser
  if (before?.state === 'undone') throw repeatedFailure(before.result)
  const { username } = input
  const assertNotGivenUp = (): void => {
    if (registry.operations.isRefused(key.id))
      throw conflict('This operation was given up before it arrived. Start a new one.')
  }
  assertNotGivenUp()
  if (registry.records.find(username))
    throw conflict(`There is already an account "${username}" on this host.`, 'username')
  const [use] = await Promise.all([host.nameUse(username), homes.assertFree(username)])
  if (use !== null)
    throw conflict(
      `"${username}" is already a ${use} of this system. Choose another username.`,
      'username',
    )
  // Who asked meanwhile what became of it found nothing, and was told that it never came.
  assertNotGivenUp()
  registry.openOperation(key, {})
  let row: AccountRow
  try {
    row = await createUser(deps, username, input.diskQuotaMb, input.uid)
    await homes.create(row)
    await hooks.holdPrograms(row)
    await Promise.all([
      files.populate(row, input.primaryDomain),
      host.setPassword(row, input.password),
      host.setDiskQuota(row, input.diskQuotaMb),
    ])
    await hooks.openLogins(row)
  } catch (error) {
    await undo(key, isAppError(error) ? failureRecord(error) : null)
    throw error
  }
  const user: OsUser = { username, uid: row.uid, gid: row.gid, home: row.home }
  registry.together(() => {
    registry.records.setState(username, 'ready')
    registry.closeOperation(key, 'done', user)
  })
  return user
}
