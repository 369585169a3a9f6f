import { MEGABYTE } from '#handlers/domain/text/megabyte.ts'
import { conflict, invalid, notFound } from '#handlers/errors.ts'
import type { UsersPort } from '#handlers/ports/host/users.ts'
import { parseUsername } from '#handlers/domain/accounts/username.ts'
import type { AccountRow } from '../registry/accounts.ts'
import type { OperationKey } from '../registry/types.ts'
import { repeatedFailure } from '../run-operation.ts'
import { createAccount } from './create-account.ts'
import type { UsersDeps } from './account-work.ts'
import { eraseAccount } from './erase-account.ts'
import { suspendAccount, unsuspendAccount } from './suspend-account.ts'

/** The port, and `settle`: finishes or undoes what a crash left open. Call it before serving. */
export type SettlingUsersPort = UsersPort & { settle(): Promise<void> }

const checkPassword = (password: string): void => {
  if (password === '' || password.length > 1024 || /[\r\n\0]/.test(password))
    throw invalid('password', 'password must be one line of 1 to 1024 characters.')
}

/** Names come from the panel, which judged them; this is the second opinion. */
const checkUsername = (username: string): void => {
  if (parseUsername(username) !== username)
    throw invalid('username', 'username must be in lower case.')
}

/** OS users of hosting accounts over the registry; see `UsersPort` for what each call promises. */
export const createUsersPort = (deps: UsersDeps): SettlingUsersPort => {
  const { registry, lock, host, log } = deps
  const { records, operations } = registry

  const known = (username: string): AccountRow => {
    const row = records.find(username)
    if (row?.state !== 'ready') throw notFound(`There is no account "${username}" on this host.`)
    return row
  }
  /** True when this very call was answered before. Throws what an undone one failed with. */
  const answeredBefore = (key: OperationKey): boolean => {
    const before = registry.operation(key)
    if (before?.state === 'undone') throw repeatedFailure(before.result)
    return before?.state === 'done'
  }
  /** Runs a repeatable change of an existing account; open ones are run again after a crash. */
  const change = (
    kind: string,
    input: { operationId: string; username: string },
    work: (row: AccountRow) => Promise<void>,
  ): Promise<void> =>
    lock(input.username, async () => {
      const key = { id: input.operationId, kind, subject: input.username }
      if (answeredBefore(key)) return
      const row = known(input.username)
      registry.openOperation(key, {})
      await work(row)
      registry.together(() => {
        registry.closeOperation(key, 'done')
        operations.supersede(input.username)
      })
    })

  const erase = async (key: OperationKey, row: AccountRow): Promise<void> => {
    registry.together(() => {
      registry.openOperation(key, {})
      records.setState(row.username, 'removing')
    })
    await eraseAccount(deps, row)
    registry.together(() => {
      records.forget(row.username)
      operations.undoCreations(row.username)
      registry.closeOperation(key, 'done')
      operations.supersede(row.username)
    })
  }
  const undoCreation = async (key: OperationKey, failure: unknown): Promise<void> => {
    const row = records.find(key.subject)
    if (row) await eraseAccount(deps, row)
    registry.together(() => {
      records.forget(key.subject)
      registry.closeOperation(key, 'undone', failure)
    })
  }

  const remove: UsersPort['remove'] = (input) =>
    lock(input.username, async () => {
      const key = { id: input.operationId, kind: 'users.remove', subject: input.username }
      if (answeredBefore(key)) return
      const row = records.find(input.username)
      if (row) return erase(key, row)
      checkUsername(input.username)
      // Gone already, unless the name is somebody else's: then it was never ours to remove.
      if ((await host.nameUse(input.username)) !== null)
        throw conflict(
          `"${input.username}" was not made by this installation, so it is not removed.`,
        )
      registry.openOperation(key, {})
      registry.closeOperation(key, 'done')
    })

  const suspend: UsersPort['suspend'] = (input) =>
    change('users.suspend', input, (row) => suspendAccount(deps, row))
  const unsuspend: UsersPort['unsuspend'] = (input) =>
    change('users.unsuspend', input, (row) => unsuspendAccount(deps, row))

  const settleOne = async (key: OperationKey): Promise<void> => {
    const input = { operationId: key.id, username: key.subject }
    await host.settled(key.subject)
    if (key.kind === 'users.create') return lock(key.subject, () => undoCreation(key, null))
    // Any other account is gone when its row is gone; nothing is left to settle.
    const row = records.find(key.subject)
    if (key.kind === 'users.remove' && row) return remove(input)
    if (key.kind === 'users.suspend' && row?.state === 'ready') return suspend(input)
    if (key.kind === 'users.unsuspend' && row?.state === 'ready') return unsuspend(input)
    // A password cannot be set again from here: it was never written down.
    registry.closeOperation(key, key.kind === 'users.remove' ? 'done' : 'undone')
  }

  return {
    create: (input) =>
      lock(input.username, async () => {
        checkUsername(input.username)
        checkPassword(input.password)
        const key = { id: input.operationId, kind: 'users.create', subject: input.username }
        const before = registry.operation(key)
        if (before?.state === 'open') await undoCreation(key, null)
        return createAccount(deps, key, input, undoCreation)
      }),
    remove,
    suspend,
    unsuspend,
    setPassword: (input) => {
      checkPassword(input.password)
      return change('users.setPassword', input, async (row) => {
        await host.setPassword(row, input.password)
        if (!row.suspended) return
        // A new password opens the lock; the suspension stands.
        await host.lock(row)
        if (row.suspendMemory)
          records.setSuspended(row.username, true, { ...row.suspendMemory, passwordLocked: false })
      })
    },
    setDiskQuota: ({ diskQuotaMb, ...input }) =>
      change('users.setDiskQuota', input, async (row) => {
        await host.setDiskQuota(row, diskQuotaMb)
        records.setDiskQuota(row.username, diskQuotaMb)
      }),
    setLimits: ({ processes, memoryMb, ...input }) =>
      change('users.setLimits', input, async (row) => {
        const { memoryTotalMb, cpuWeight, cpuPercent, ioWeight } = input
        const shares = { memoryTotalMb, cpuWeight, cpuPercent, ioWeight }
        records.setLimits(row.username, { processes, memoryMb }, shares)
        if (!row.suspended) await deps.hooks.holdPrograms(row)
        const same = row.limits?.processes === processes && row.limits.memoryMb === memoryMb
        if (!same && !row.suspended) await deps.hooks.renewPhp(row.username)
      }),
    list: async () =>
      registry.accounts().map(({ username, uid, gid, home, suspended }) => ({
        username,
        uid,
        gid,
        home,
        suspended,
      })),
    diskUsedMb: async ({ username }) =>
      Math.round((await deps.files.usedBytes(known(username))) / MEGABYTE),
    operation: async ({ operationId }) => {
      const rows = operations.byId(operationId)
      const telling =
        rows.find((row) => row.state === 'open') ??
        rows.find((row) => row.kind === 'users.create') ??
        rows.at(-1)
      if (telling) return { state: telling.state }
      // A creation on its way must not succeed after its caller gave it up.
      operations.refuse(operationId)
      return null
    },
    settle: async () => {
      for (const operation of registry.openOperations('users.')) {
        const { id, kind, subject } = operation
        try {
          await settleOne({ id, kind, subject })
          log.info('settled an operation that was open', { operation: id, kind, subject })
        } catch (error) {
          log.error('an open operation could not be settled; it is tried again at the next start', {
            operation: id,
            kind,
            subject,
            error: error instanceof Error ? error.message : String(error),
          })
        }
      }
    },
  }
}
