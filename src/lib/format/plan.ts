import { texts } from '$lib/texts'
import type { Account, AccountLimits, ApiResult, PlanView } from '$lib/api/types'

/** Plans that the form calls by names of its own; Enterprise is `business` with larger quotas. */
export type NamedPlan = 'basic' | 'standard' | 'premium' | 'enterprise'

/** A plan as the form offers it and what the API is sent for it. */
export interface PlanChoice {
  /** A `NamedPlan`, or the name of a plan that an administrator made. */
  id: string
  plan: string
  diskQuotaMb: number
  bandwidthQuotaMb: number
  /** Whether the quotas differ from the plan's own and must be sent. */
  custom: boolean
  /** What else the plan gives; null until it was read. */
  limits: PlanView | null
}

type Quotas = Pick<PlanView, 'disk_quota_mb' | 'bandwidth_quota_mb'>

/** The quotas of an account's plan, where they are known. */
export const planQuotas = (limits: ApiResult<AccountLimits> | null): Quotas | undefined =>
  limits?.ok
    ? {
        disk_quota_mb: limits.data.plan_disk_quota_mb,
        bandwidth_quota_mb: limits.data.plan_bandwidth_quota_mb,
      }
    : undefined

/** What the built-in plans give until an administrator changes them. */
const BUILT_IN: readonly (Quotas & { name: string })[] = [
  { name: 'free', disk_quota_mb: 500, bandwidth_quota_mb: 10_000 },
  { name: 'pro', disk_quota_mb: 5000, bandwidth_quota_mb: 100_000 },
  { name: 'business', disk_quota_mb: 50_000, bandwidth_quota_mb: 1_000_000 },
]
const ENTERPRISE: PlanChoice = {
  id: 'enterprise',
  plan: 'business',
  diskQuotaMb: 500_000,
  bandwidthQuotaMb: 10_000_000,
  custom: true,
  limits: null,
}
const NAMES: Readonly<Record<string, NamedPlan>> = {
  free: 'basic',
  pro: 'standard',
  business: 'premium',
}

/**
 * The plans of the form: the built-in ones, Enterprise unless quotas have to keep within the
 * plan's, and those that an administrator made. Null: the built-in ones as they begin.
 */
export const planChoices = (
  plans: readonly PlanView[] | null,
  withinPlan = false,
): readonly PlanChoice[] => {
  const choices = (plans ?? BUILT_IN).map(
    ({ name, disk_quota_mb: diskQuotaMb, bandwidth_quota_mb: bandwidthQuotaMb }): PlanChoice => ({
      id: NAMES[name] ?? name,
      plan: name,
      diskQuotaMb,
      bandwidthQuotaMb,
      custom: false,
      limits: plans?.find((plan) => plan.name === name) ?? null,
    }),
  )
  const business = choices.find(({ plan }) => plan === ENTERPRISE.plan)?.limits ?? null
  const isBuiltIn = ({ plan }: PlanChoice): boolean => Object.hasOwn(NAMES, plan)
  return [
    ...choices.filter(isBuiltIn),
    ...(withinPlan ? [] : [{ ...ENTERPRISE, limits: business }]),
    ...choices.filter((choice) => !isBuiltIn(choice)),
  ]
}

/** Name of a built-in plan, for people; null for others. */
export const builtInName = (plan: string): string | null => {
  const id = Object.hasOwn(NAMES, plan) ? NAMES[plan] : undefined
  return id === undefined ? null : texts.plans[id]
}

/** Name of a choice, for people. */
export const choiceName = (id: string): string =>
  Object.hasOwn(texts.plans, id) ? texts.plans[id as NamedPlan] : id

/**
 * The choice that an account's plan is; `business` with more than the plan's quotas
 * is Enterprise. `quotas`: the plan's, where they are known to be changed.
 */
export const planOf = (
  account: Pick<Account, 'plan' | 'disk_quota_mb' | 'bandwidth_quota_mb'>,
  quotas: Quotas | undefined = BUILT_IN.find(({ name }) => name === account.plan),
): string => {
  const above =
    quotas !== undefined &&
    (account.disk_quota_mb > quotas.disk_quota_mb ||
      account.bandwidth_quota_mb > quotas.bandwidth_quota_mb)
  if (account.plan === 'business' && above) return 'enterprise'
  return NAMES[account.plan] ?? account.plan
}

/** Name of an account's plan, for people. */
export const planName = (...account: Parameters<typeof planOf>): string =>
  choiceName(planOf(...account))
