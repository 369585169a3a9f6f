import { AppError } from '#handlers/errors.ts'
import type { FailureStatus } from '#handlers/errors.ts'
import { isAppError } from '#handlers/errors.ts'
import type { OperationKey, Registry } from './registry/types.ts'

interface StoredFailure {
  failed: { status: FailureStatus; message: string; field: string | null }
}

const storedFailure = (result: unknown): StoredFailure['failed'] | null =>
  typeof result === 'object' && result !== null && 'failed' in result
    ? (result as StoredFailure).failed
    : null

/** What an undone operation answers when it is repeated: its first failure, or a 409. */
export const repeatedFailure = (result: unknown): AppError => {
  const failed = storedFailure(result)
  if (failed)
    return new AppError(
      failed.status,
      failed.message,
      failed.field === null ? {} : { field: failed.field },
    )
  return new AppError(409, 'This operation was undone. Start a new one with a new operation id.')
}

/** What to record of a failure, so that a repetition answers the same. */
export const failureRecord = (error: unknown): StoredFailure | null =>
  isAppError(error)
    ? { failed: { status: error.status, message: error.message, field: error.field ?? null } }
    : null

/**
 * Runs `work` once per operation key: a repetition answers what the first run
 * answered. An operation that is still open (the process died in the middle)
 * runs `work` again, so `work` must be idempotent. When it throws, `undo` runs
 * and the operation is closed as undone; if `undo` throws too it stays open, to
 * be settled at the next start. Call it inside the account's lock.
 */
export const runOperation = async <T>(
  registry: Registry,
  key: OperationKey,
  data: Record<string, unknown>,
  work: (step: (name: string) => void) => Promise<T>,
  undo: () => Promise<void> = async () => undefined,
): Promise<T> => {
  const known = registry.openOperation(key, data)
  if (known.state === 'done') return known.result as T
  if (known.state === 'undone') throw repeatedFailure(known.result)
  try {
    const result = await work((name) => registry.recordStep(key, name))
    registry.closeOperation(key, 'done', result ?? null)
    return result
  } catch (error) {
    await undo()
    registry.closeOperation(key, 'undone', failureRecord(error))
    throw error
  }
}
