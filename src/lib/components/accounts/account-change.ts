import type { Account } from '$lib/api/types'
import { knownPlans } from '$lib/state/plans.svelte'

/** An account's changeable properties as one types them; of none, where nothing is in question. */
export const accountChange = (account: Account | null) => ({
  email: account?.email ?? '',
  /** '' leaves it as it is. */
  password: '',
  /** Asked of the account's own user alone. */
  current_password: '',
  /** Id of a `PlanChoice`. */
  plan: account ? knownPlans.choiceOf(account) : 'basic',
  disk_quota_mb: String(account?.disk_quota_mb ?? ''),
  bandwidth_quota_mb: String(account?.bandwidth_quota_mb ?? ''),
})

/** The body of `PATCH /api/accounts/:id`: what differs, and quotas by number where they are not the plan's. */
export const changedAccount = (
  account: Account,
  form: ReturnType<typeof accountChange>,
  own: boolean,
): Record<string, string | number> => {
  const plan = knownPlans.choices.find(({ id }) => id === form.plan)?.plan ?? account.plan
  const [diskMb, trafficMb] = [Number(form.disk_quota_mb), Number(form.bandwidth_quota_mb)]
  // Quotas that are the old plan's would follow the new one: with a new plan they are named.
  const newPlan = plan !== account.plan
  return {
    ...(form.email.trim() === account.email ? {} : { email: form.email.trim() }),
    ...(form.password === '' ? {} : { password: form.password }),
    ...(own && form.password !== '' ? { current_password: form.current_password } : {}),
    ...(own || !newPlan ? {} : { plan }),
    ...(own || (!newPlan && diskMb === account.disk_quota_mb) ? {} : { disk_quota_mb: diskMb }),
    ...(own || (!newPlan && trafficMb === account.bandwidth_quota_mb)
      ? {}
      : { bandwidth_quota_mb: trafficMb }),
  }
}
