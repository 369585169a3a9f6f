import { texts } from '$lib/texts'
import type { Plan } from '$lib/api/types'

export type PlanChoiceId = 'basic' | 'standard' | 'premium' | 'enterprise'

/** A plan as the form offers it and what the API is sent for it. */
export interface PlanChoice {
  id: PlanChoiceId
  plan: Plan
  diskQuotaMb: number
  bandwidthQuotaMb: number
  /** Whether the quotas differ from the plan's own and must be sent. */
  custom: boolean
}

const choice = (
  id: PlanChoiceId,
  plan: Plan,
  diskQuotaMb: number,
  bandwidthQuotaMb: number,
  custom = false,
): PlanChoice => ({ id, plan, diskQuotaMb, bandwidthQuotaMb, custom })

/** The four plans of the form; the API knows three, Enterprise is `business` with larger quotas. */
export const PLAN_CHOICES: readonly PlanChoice[] = [
  choice('basic', 'free', 500, 10_000),
  choice('standard', 'pro', 5000, 100_000),
  choice('premium', 'business', 50_000, 1_000_000),
  choice('enterprise', 'business', 500_000, 10_000_000, true),
]

/** The choice that an account's plan is; `business` with more than its usual quotas is Enterprise. */
export const planOf = (account: {
  plan: Plan
  disk_quota_mb: number
  bandwidth_quota_mb: number
}): PlanChoiceId => {
  if (account.plan === 'free') return 'basic'
  if (account.plan === 'pro') return 'standard'
  return account.disk_quota_mb > 50_000 || account.bandwidth_quota_mb > 1_000_000
    ? 'enterprise'
    : 'premium'
}

/** Name of an account's plan, for people. */
export const planName = (account: Parameters<typeof planOf>[0]): string =>
  texts.plans[planOf(account)]
