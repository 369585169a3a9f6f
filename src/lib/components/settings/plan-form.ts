import { callApi } from '$lib/api/call-api'
import type { ApiResult, PlanView } from '$lib/api/types'
import { texts } from '$lib/texts'

/** Limits of a plan by their names in the API, with the least and the most that each may be. */
const PLAN_LIMITS = {
  disk_quota_mb: [1, 1_000_000_000],
  bandwidth_quota_mb: [1, 1_000_000_000],
  domains_limit: [1, 1_000_000],
  databases_limit: [0, 1_000_000],
  tokens_limit: [0, 100],
  backups_limit: [0, 10_000],
  processes_limit: [25, 10_000],
  memory_limit_mb: [128, 1_000_000],
} as const

export type PlanLimit = keyof typeof PLAN_LIMITS
export type PlanField = 'name' | PlanLimit
/** Everything as one types it. */
export type PlanForm = Record<PlanField, string>

export const LIMIT_FIELDS = Object.keys(PLAN_LIMITS) as PlanLimit[]
export const PLAN_FIELDS: readonly PlanField[] = ['name', ...LIMIT_FIELDS]

/** A new plan begins with what the smallest built-in one gives. */
const USUAL: PlanForm = {
  name: '',
  disk_quota_mb: '500',
  bandwidth_quota_mb: '10000',
  domains_limit: '5',
  databases_limit: '5',
  tokens_limit: '5',
  backups_limit: '5',
  processes_limit: '50',
  memory_limit_mb: '512',
}

export const planForm = (plan: PlanView | null): PlanForm =>
  plan === null
    ? { ...USUAL }
    : (Object.fromEntries(PLAN_FIELDS.map((field) => [field, String(plan[field])])) as PlanForm)

/** What is wrong with one field, or null. The API checks again and knows more. */
export const planFieldError = (form: PlanForm, field: PlanField): string | null => {
  const t = texts.hostingPlans.form
  const value = form[field].trim()
  if (field === 'name') return /^[a-z][a-z0-9_-]{1,31}$/i.test(value) ? null : t.nameBad
  const [least, most] = PLAN_LIMITS[field]
  const isGood = /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most
  return isGood ? null : t.bad(least, most)
}

/** Makes the plan, or changes `plan`. */
export const savePlan = (plan: PlanView | null, form: PlanForm): Promise<ApiResult<PlanView>> => {
  const limits = Object.fromEntries(LIMIT_FIELDS.map((field) => [field, Number(form[field])]))
  return plan === null
    ? callApi('POST', '/api/plans', { name: form.name.trim(), ...limits })
    : callApi('PATCH', `/api/plans/${encodeURIComponent(plan.name)}`, limits)
}
