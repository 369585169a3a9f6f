import { planLimitReached } from '../../domain/accounts/plan.ts'
import type { AccountRow } from '../../ports/store/records.ts'
import type { Store } from '../../ports/store/store.ts'

/** 403 when the account has `limit` backups: archives on this host and snapshots that no schedule made. */
export const assertBackupRoom = async (
  store: Pick<Store, 'accountUsage'>,
  account: AccountRow,
  limit: number,
): Promise<void> => {
  const { backups } = await store.accountUsage(account.id)
  if (backups >= limit) throw planLimitReached(account, 'backups', backups, limit)
}
