import { bandwidthUsedMb, trafficMonth } from '../../../domain/accounts/bandwidth.ts'
import { quotaLevel } from '../../../domain/notifications/quota-level.ts'
import type { AccountRow } from '../../../ports/store/records.ts'
import type { Found, Trouble } from '../../notify/notify.ts'

const SCOPE = 'quota:'

/** Quotas of accounts that are nearly or wholly used up. `stands`: the troubles of before. */
export const findQuotas = (
  accounts: readonly AccountRow[],
  stands: ReadonlySet<string>,
  nowMs: number,
): Found => {
  const month = trafficMonth(nowMs)
  const troubleOf = (
    { id, username }: AccountRow,
    what: 'disk' | 'bandwidth',
    used: number,
    quota: number,
  ): Trouble[] => {
    const key = `${SCOPE}${id}:${what}`
    const level = quotaLevel(used, quota, stands.has(key))
    if (level === null) return []
    const data = { username, account_id: id, used_mb: used, quota_mb: quota }
    return [{ key, message: `quota.${what}_${level}`, data, accountId: id, to: 'everybody' }]
  }
  return {
    scopes: [SCOPE],
    troubles: accounts
      .filter(({ status }) => status === 'active')
      .flatMap((account) => [
        ...troubleOf(account, 'disk', account.disk_used_mb, account.disk_quota_mb),
        ...troubleOf(
          account,
          'bandwidth',
          bandwidthUsedMb(account, month),
          account.bandwidth_quota_mb,
        ),
      ]),
  }
}
