import { callApi } from '$lib/api/call-api'
import type { Account, ApiResult } from '$lib/api/types'
import { isEmail } from '$lib/format/is-email'
import { knownPlans } from '$lib/state/plans.svelte'
import { texts } from '$lib/texts'

/** A new account as one types it. */
export const emptyAccount = () => ({
  username: '',
  domain: '',
  email: '',
  password: '',
  /** Id of a `PlanChoice`. */
  plan: 'basic',
  /** Name of the machine that it shall be on; '': Berth chooses. */
  host: '',
})

/** What is wrong with a username, or null. The API checks again and knows more. */
export const usernameError = (name: string): string | null =>
  /^[a-z\d]{3,16}$/i.test(name.trim()) ? null : texts.accounts.form.usernameBad

/** The same of an address. */
export const emailError = (email: string): string | null =>
  isEmail(email.trim()) ? null : texts.accounts.form.emailBad

/** The same of a domain. */
export const domainError = (text: string): string | null => {
  const t = texts.accounts.form
  const name = text.trim()
  if (/\s/.test(name)) return t.domainSpace(name.replace(/\s+/g, '.'))
  return /^[^\s./]+(\.[^\s./]+)+$/.test(name) ? null : t.domainBad
}

/** What is sent for a plan of the form: Enterprise is `business` with quotas of its own. */
export const planBody = (id: string) => {
  const choice = knownPlans.choices.find((candidate) => candidate.id === id)
  return {
    plan: choice?.plan ?? 'free',
    ...(choice?.custom
      ? { disk_quota_mb: choice.diskQuotaMb, bandwidth_quota_mb: choice.bandwidthQuotaMb }
      : {}),
  }
}

/** Creates the account. */
export const createAccount = (form: ReturnType<typeof emptyAccount>): Promise<ApiResult<Account>> =>
  callApi<Account>('POST', '/api/accounts', {
    username: form.username.trim(),
    domain: form.domain.trim(),
    email: form.email.trim(),
    password: form.password,
    ...planBody(form.plan),
    ...(form.host !== '' && { host: form.host }),
  })
