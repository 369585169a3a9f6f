import { RESELLER_LIMITS } from '#handlers/domain/accounts/reseller-limits.ts'
import { callApi } from '$lib/api/call-api'
import type { ApiResult, Reseller } from '$lib/api/types'
import { texts } from '$lib/texts'

type Limit = keyof typeof RESELLER_LIMITS

export const LIMIT_FIELDS = Object.keys(RESELLER_LIMITS) as Limit[]

/** Everything as one types it; an empty limit is none. */
export type ResellerForm = Record<'username' | 'password' | Limit, string>

export const resellerForm = (reseller: Reseller | null): ResellerForm => {
  const limits = LIMIT_FIELDS.map((name) => [name, String(reseller?.[name] ?? '')])
  return {
    username: reseller?.username ?? '',
    password: '',
    ...(Object.fromEntries(limits) as Record<Limit, string>),
  }
}

/** What is wrong with a limit, or null. The API checks again. */
export const limitError = (limit: Limit, text: string): string | null => {
  const value = text.trim()
  const [least, most] = RESELLER_LIMITS[limit]
  if (value === '') return null
  const isGood = /^\d{1,13}$/.test(value) && Number(value) >= least && Number(value) <= most
  return isGood ? null : texts.resellers.form.bad(most)
}

/** Makes the reseller, or changes `reseller`. */
export const saveReseller = (
  reseller: Reseller | null,
  form: ResellerForm,
  plans: readonly string[],
): Promise<ApiResult<Reseller>> => {
  const limits = Object.fromEntries(
    LIMIT_FIELDS.map((field) => {
      const value = form[field].trim()
      return [field, value === '' ? null : Number(value)]
    }),
  )
  const { username, password } = form
  if (reseller === null)
    return callApi('POST', '/api/resellers', {
      username: username.trim(),
      password,
      plans,
      ...limits,
    })
  return callApi('PATCH', `/api/resellers/${reseller.id}`, {
    ...(username.trim() === reseller.username ? {} : { username: username.trim() }),
    ...(password === '' ? {} : { password }),
    plans,
    ...limits,
  })
}
