import type { Account } from '$lib/api/types'
import { isEmail } from '$lib/format/is-email'
import { knownPlans } from '$lib/state/plans.svelte'
import { texts } from '$lib/texts'

/** An account's changeable properties as one types them. */
export interface AccountChange {
  email: string
  /** Id of a `PlanChoice`. */
  plan: string
  diskMb: string
  trafficMb: string
  /** '' leaves it as it is. */
  password: string
  /** Asked of the account's own user alone. */
  current: string
}

/** Names of the fields as the API gives them. */
export const CHANGE_FIELDS = [
  'email',
  'password',
  'current_password',
  'disk_quota_mb',
  'bandwidth_quota_mb',
] as const

type Errors = Partial<Record<(typeof CHANGE_FIELDS)[number], string | null>>

export const emptyAccountChange = (): AccountChange => ({
  email: '',
  plan: 'basic',
  diskMb: '',
  trafficMb: '',
  password: '',
  current: '',
})

export const accountChange = (account: Account): AccountChange => ({
  ...emptyAccountChange(),
  email: account.email,
  plan: knownPlans.choiceOf(account),
  diskMb: String(account.disk_quota_mb),
  trafficMb: String(account.bandwidth_quota_mb),
})

/** What is wrong with the form; the API checks again and knows more. */
export const changeErrors = (form: AccountChange, own: boolean): Errors => {
  const t = texts.accounts
  const megabytes = (text: string) => (/^\d+$/.test(text.trim()) ? null : t.edit.quotaBad)
  return {
    email: isEmail(form.email.trim()) ? null : t.form.emailBad,
    password: form.password !== '' && form.password.length < 8 ? texts.password.tooShort : null,
    ...(own
      ? {
          current_password:
            form.password !== '' && form.current === '' ? texts.errors.required : null,
        }
      : {
          disk_quota_mb: megabytes(form.diskMb),
          bandwidth_quota_mb: megabytes(form.trafficMb),
        }),
  }
}

/** The body of `PATCH /api/accounts/:id`: what differs, and quotas by number where they are not the plan's. */
export const changedAccount = (
  account: Account,
  form: AccountChange,
  own: boolean,
): Record<string, string | number> => {
  const plan = knownPlans.choices.find(({ id }) => id === form.plan)?.plan ?? account.plan
  const [diskMb, trafficMb] = [Number(form.diskMb), Number(form.trafficMb)]
  // Quotas that are the old plan's would follow the new one: with a new plan they are named.
  const newPlan = plan !== account.plan
  return {
    ...(form.email.trim() === account.email ? {} : { email: form.email.trim() }),
    ...(form.password === '' ? {} : { password: form.password }),
    ...(own && form.password !== '' ? { current_password: form.current } : {}),
    ...(own || !newPlan ? {} : { plan }),
    ...(own || (!newPlan && diskMb === account.disk_quota_mb) ? {} : { disk_quota_mb: diskMb }),
    ...(own || (!newPlan && trafficMb === account.bandwidth_quota_mb)
      ? {}
      : { bandwidth_quota_mb: trafficMb }),
  }
}
