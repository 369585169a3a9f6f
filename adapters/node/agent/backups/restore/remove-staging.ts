import { isAppError } from '#handlers/errors.ts'
import type { HelperPool } from '../../files/helper-pool.ts'
import type { RegisteredAccount } from '../../registry/types.ts'

const TIMEOUT_MS = 600_000

/** Removes the folder of a restore from the home, as the account; a missing one is no error. */
export const removeStaging = async (
  helpers: HelperPool,
  account: RegisteredAccount,
  staging: string,
): Promise<void> => {
  try {
    await helpers.ask(account, { op: 'delete', path: staging }, { timeoutMs: TIMEOUT_MS })
  } catch (error) {
    if (!isAppError(error) || error.status !== 404) throw error
  }
}
