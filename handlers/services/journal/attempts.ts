import { isAppError } from '../../errors.ts'
import type { OperationRow } from '../../ports/store/records.ts'

/**
 * Operation id for one try. The host answers a repeated id as it did before,
 * failures too, so every try of something that must succeed takes a new one.
 */
export const attemptId = (operation: OperationRow): string =>
  `${operation.id}.${crypto.randomUUID().slice(0, 8)}`

/** Whether the host says that what it is asked for is not there, or not ours: nothing left to remove. */
export const isGone = (error: unknown): boolean =>
  isAppError(error) && (error.status === 404 || error.status === 409)
