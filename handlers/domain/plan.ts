/** Quotas of the plans, in megabytes. */
export const PLAN_QUOTAS = {
  free: { disk_quota_mb: 500, bandwidth_quota_mb: 10_000 },
  pro: { disk_quota_mb: 5000, bandwidth_quota_mb: 100_000 },
  business: { disk_quota_mb: 50_000, bandwidth_quota_mb: 1_000_000 },
} as const

/** Databases an account may have: enough for its sites, and no load on the server by their number. */
export const PLAN_DATABASES = { free: 5, pro: 50, business: 500 } as const

export const PLANS = ['free', 'pro', 'business'] as const
