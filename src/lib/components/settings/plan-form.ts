import { PLAN_LIMITS, type PlanLimit } from '#handlers/domain/accounts/plan-limits.ts'
import { callApi } from '$lib/api/call-api'
import type { ApiResult, PlanView } from '$lib/api/types'
import { texts } from '$lib/texts'

/** What a new plan begins with: what the smallest built-in one gives. */
const USUAL: Record<PlanLimit, number> = {
  disk_quota_mb: 500,
  bandwidth_quota_mb: 10_000,
  domains_limit: 5,
  databases_limit: 5,
  database_users_limit: 5,
  tokens_limit: 5,
  backups_limit: 5,
  cron_jobs_limit: 5,
  ssh_keys_limit: 5,
  mails_per_hour_limit: 100,
  people_limit: 5,
  sftp_users_limit: 3,
  database_addresses_limit: 3,
  applications_limit: 2,
  shells_limit: 0,
  processes_limit: 50,
  memory_limit_mb: 512,
  memory_total_mb: 2048,
  cpu_weight: 100,
  cpu_percent: 0,
  io_weight: 100,
}

/** Everything as one types it. */
export type PlanForm = Record<'name' | PlanLimit, string>

export const LIMIT_FIELDS = Object.keys(PLAN_LIMITS) as PlanLimit[]

export const planForm = (plan: PlanView | null): PlanForm => {
  const limits = LIMIT_FIELDS.map((name) => [name, String(plan?.[name] ?? USUAL[name])])
  return { name: plan?.name ?? '', ...(Object.fromEntries(limits) as Record<PlanLimit, string>) }
}

/** What is wrong with the name of a new plan, or null. The API checks again and knows more. */
export const planNameError = (name: string): string | null =>
  /^[a-z][a-z0-9_-]{1,31}$/i.test(name.trim()) ? null : texts.hostingPlans.form.nameBad

/** The same of a limit. */
export const planLimitError = (limit: PlanLimit, text: string): string | null => {
  const value = text.trim()
  const [least, most] = PLAN_LIMITS[limit]
  const isGood = /^\d{1,10}$/.test(value) && Number(value) >= least && Number(value) <= most
  return isGood ? null : texts.hostingPlans.form.bad(least, most)
}

/** Makes the plan, or changes `plan`. */
export const savePlan = (plan: PlanView | null, form: PlanForm): Promise<ApiResult<PlanView>> => {
  const limits = Object.fromEntries(LIMIT_FIELDS.map((field) => [field, Number(form[field])]))
  return plan === null
    ? callApi('POST', '/api/plans', { name: form.name.trim(), ...limits })
    : callApi('PATCH', `/api/plans/${encodeURIComponent(plan.name)}`, limits)
}
