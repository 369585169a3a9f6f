import type { Account, ApiResult } from '$lib/api/types'
import { callApi } from '$lib/api/call-api'
import { isEmail } from '$lib/format/is-email'
import { knownPlans } from '$lib/state/plans.svelte'
import { texts } from '$lib/texts'

export interface AccountForm {
  username: string
  domain: string
  email: string
  password: string
  /** Id of a `PlanChoice`. */
  plan: string
}

export type AccountField = 'username' | 'domain' | 'email' | 'password'

export const ACCOUNT_FIELDS: readonly AccountField[] = ['username', 'domain', 'email', 'password']

export const emptyAccountForm = (): AccountForm => ({
  username: '',
  domain: '',
  email: '',
  password: '',
  plan: 'basic',
})

/** What is wrong with one field, or null. The API checks again and knows more. */
export const accountFieldError = (form: AccountForm, field: AccountField): string | null => {
  const t = texts.accounts.form
  const value = form[field].trim()
  if (field === 'username') return /^[a-z\d]{3,16}$/i.test(value) ? null : t.usernameBad
  if (field === 'password') return form.password.length < 8 ? texts.password.tooShort : null
  if (field === 'email') return isEmail(value) ? null : t.emailBad
  if (/\s/.test(value)) return t.domainSpace(value.replace(/\s+/g, '.'))
  return /^[^\s./]+(\.[^\s./]+)+$/.test(value) ? null : t.domainBad
}

/** Creates the account; Enterprise is `business` with quotas of its own. */
export const createAccount = (form: AccountForm): Promise<ApiResult<Account>> => {
  const choice = knownPlans.choices.find((candidate) => candidate.id === form.plan)
  return callApi<Account>('POST', '/api/accounts', {
    username: form.username.trim(),
    domain: form.domain.trim(),
    email: form.email.trim(),
    password: form.password,
    plan: choice?.plan ?? 'free',
    ...(choice?.custom
      ? { disk_quota_mb: choice.diskQuotaMb, bandwidth_quota_mb: choice.bandwidthQuotaMb }
      : {}),
  })
}
