import { conflict, isAppError } from '#handlers/errors.ts'
import type { OsUser, UsersPort } from '#handlers/ports/users.ts'
import type { OperationKey } from '../registry-types.ts'
import { failureRecord, repeatedFailure } from '../run-operation.ts'
import type { UsersDeps } from './account-work.ts'

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
  const { registry, host, homes, files } = deps
  const before = registry.operation(key)
  // closeOperation below wrote this result, and nothing else closes a creation as done.
  if (before?.state === 'done') return before.result as OsUser
  if (before?.state === 'undone') throw repeatedFailure(before.result)
  const { username } = input
  if (registry.operations.isRefused(key.id))
    throw conflict('This operation was given up before it arrived. Start a new one.')
  if (registry.records.find(username))
    throw conflict(`There is already an account "${username}" on this host.`, 'username')
  const [ids, use] = await Promise.all([
    host.newIds(),
    host.nameUse(username),
    homes.assertFree(username),
  ])
  if (use !== null)
    throw conflict(
      `"${username}" is already a ${use} of this system. Choose another username.`,
      'username',
    )
  const row = registry.together(() => {
    registry.openOperation(key, {})
    const { diskQuotaMb } = input
    return registry.records.reserve({ username, home: homes.pathOf(username), diskQuotaMb }, ids)
  })
  if (!row) throw new Error(`the name ${username} was taken inside its own lock`)
  try {
    await host.createUser(row)
    await homes.create(row)
    await Promise.all([
      files.populate(row, input.primaryDomain),
      host.setPassword(row, input.password),
    ])
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
