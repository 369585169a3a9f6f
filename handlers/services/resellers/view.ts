import { MEGABYTE } from '../../domain/text/megabyte.ts'
import { trafficMonth } from '../../domain/accounts/bandwidth.ts'
import type { ResellerLimits, ResellerRow } from '../../ports/store/records.ts'
import type { KnownReseller } from '../../ports/store/access/reseller-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How much a reseller's accounts have of one thing, and how much they may; null: any. */
interface ResellerShare {
  used: number
  limit: number | null
}

/** A reseller as the API shows him. */
export interface ResellerView extends ResellerLimits {
  id: number
  username: string
  status: ResellerRow['status']
  suspend_reason: string | null
  plans: string[]
  accounts: ResellerShare
  domains: ResellerShare
  databases: ResellerShare
  /** Promised, i.e. the sum of quotas. */
  disk_mb: ResellerShare
  bandwidth_mb: ResellerShare
  disk_used_mb: number
  bandwidth_used_mb: number
  second_factor: boolean
  created_at: string
  updated_at: string
}

/** The month whose traffic counts. */
export const currentMonth = ({ clock }: Pick<ServiceDeps, 'clock'>): string =>
  trafficMonth(clock.nowMs())

export const resellerView = (row: KnownReseller, secondFactor: boolean): ResellerView => {
  const { use } = row
  return {
    id: row.id,
    username: row.username,
    status: row.status,
    suspend_reason: row.suspend_reason,
    plans: row.plans,
    accounts_limit: row.accounts_limit,
    domains_limit: row.domains_limit,
    databases_limit: row.databases_limit,
    disk_limit_mb: row.disk_limit_mb,
    bandwidth_limit_mb: row.bandwidth_limit_mb,
    accounts: { used: use.accounts, limit: row.accounts_limit },
    domains: { used: use.domains, limit: row.domains_limit },
    databases: { used: use.databases, limit: row.databases_limit },
    disk_mb: { used: use.disk_promised_mb, limit: row.disk_limit_mb },
    bandwidth_mb: { used: use.bandwidth_promised_mb, limit: row.bandwidth_limit_mb },
    disk_used_mb: use.disk_used_mb,
    bandwidth_used_mb: Math.floor(use.bandwidth_used_bytes / MEGABYTE),
    second_factor: secondFactor,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
