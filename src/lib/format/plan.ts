import { texts } from '$lib/texts'
import type { Plan } from '$lib/api/types'

export type PlanChoiceId = 'basic' | 'standard' | 'premium' | 'enterprise'

/** A plan as the form offers it and what the API is sent for it. */
export interface PlanChoice {
  id: PlanChoiceId
  name: string
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
): PlanChoice => ({ id, name: texts.plans[id], plan, diskQuotaMb, bandwidthQuotaMb, custom })

/** The four plans of the form; the API knows three, Enterprise is `business` with larger quotas. */
export const PLAN_CHOICES: readonly PlanChoice[] = [
  choice('basic', 'free', 500, 10_000),
  choice('standard', 'pro', 5000, 100_000),
  choice('premium', 'business', 50_000, 1_000_000),
  choice('enterprise', 'business', 500_000, 10_000_000, true),
]

/** Name of an account's plan; `business` with more than its usual quotas reads Enterprise. */
export const planName = (account: {
  plan: Plan
  disk_quota_mb: number
  bandwidth_quota_mb: number
}): string => {
  if (account.plan === 'free') return texts.plans.basic
  if (account.plan === 'pro') return texts.plans.standard
  return account.disk_quota_mb > 50_000 || account.bandwidth_quota_mb > 1_000_000
    ? texts.plans.enterprise
    : texts.plans.premium
}
