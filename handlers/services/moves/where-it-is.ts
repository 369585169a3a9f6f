import { AppError, INTERNAL_ERROR, isAppError } from '../../errors.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import type { OperationRow } from '../../ports/store/records.ts'
import { Superseded } from '../journal/leases.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Why a move failed, and where that leaves the account. `from`: the name of the host that it was on. */
export const whereItIs = async (
  { store, log }: Pick<ServiceDeps, 'store' | 'log'>,
  { id, subject: username }: Pick<OperationRow, 'id' | 'subject'>,
  { from, to }: { from: string; to: HostRow },
  error: unknown,
): Promise<Error> => {
  // Another instance of the panel undoes it, and its text says so.
  if (error instanceof Superseded) return error
  const known = isAppError(error) ? error : null
  if (known === null)
    log.error('an account was not moved', { operation: id, username, error: String(error) })
  const [open, copies] = await Promise.all([store.openOperations(), store.listAccountCopies()])
  const isLeft = copies.some((one) => one.username === username && one.host_id === to.id)
  const where = open.some((one) => one.id === id)
    ? `Account ${username} stays on ${from}. What the move had begun is not undone yet, so it may still be closed there; that is tried again by itself, see the panel log.`
    : `Account ${username} stays on ${from} and works there as before.${isLeft ? ` What lies on ${to.name} goes when that answers again.` : ''}`
  return new AppError(known?.status ?? 503, `${known?.message ?? INTERNAL_ERROR} ${where}`, {
    ...(known?.field === undefined ? {} : { field: known.field }),
    cause: error,
  })
}
