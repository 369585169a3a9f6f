import type { Log } from '#handlers/ports/log.ts'
import type { FilesystemQuota } from '../../machine/filesystem-quota.ts'
import type { RegisteredAccount } from '../registry/types.ts'

/**
 * Tells the kernel the disk quotas of all accounts, one after the other: it may keep them only
 * since a short while ago, on a new disk, or have others after one was brought back.
 */
export const tellQuotas = async (
  accounts: readonly Pick<RegisteredAccount, 'username' | 'uid' | 'diskQuotaMb'>[],
  quota: FilesystemQuota,
  log: Log,
): Promise<void> => {
  if (!(await quota.holds())) return
  for (const { username, uid, diskQuotaMb } of accounts) {
    try {
      await quota.set(uid, diskQuotaMb)
    } catch (error) {
      log.error('the disk quota of an account is not held by the kernel', {
        username,
        error: String(error),
      })
    }
  }
}
