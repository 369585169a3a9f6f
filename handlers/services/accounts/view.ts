import { bandwidthUsedMb, trafficMonth } from '../../domain/accounts/bandwidth.ts'
import type { AccountRow } from '../../ports/store/records.ts'

/** An account as the API returns it: no hash, no host numbers. */
export type AccountView = Pick<
  AccountRow,
  | 'id'
  | 'username'
  | 'primary_domain'
  | 'email'
  | 'plan'
  | 'status'
  | 'suspend_reason'
  | 'reseller_id'
  | 'host_id'
  | 'disk_quota_mb'
  | 'bandwidth_quota_mb'
  | 'disk_used_mb'
  | 'home'
  | 'created_at'
  | 'updated_at'
> & {
  /** What its sites have sent in this month. */
  bandwidth_used_mb: number
}

export const accountView = (row: AccountRow, nowMs: number): AccountView => ({
  id: row.id,
  username: row.username,
  primary_domain: row.primary_domain,
  email: row.email,
  plan: row.plan,
  status: row.status,
  suspend_reason: row.suspend_reason,
  reseller_id: row.reseller_id,
  host_id: row.host_id,
  disk_quota_mb: row.disk_quota_mb,
  bandwidth_quota_mb: row.bandwidth_quota_mb,
  disk_used_mb: row.disk_used_mb,
  bandwidth_used_mb: bandwidthUsedMb(row, trafficMonth(nowMs)),
  home: row.home,
  created_at: row.created_at,
  updated_at: row.updated_at,
})
