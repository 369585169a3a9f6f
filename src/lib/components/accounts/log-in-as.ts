import { goto } from '$app/navigation'
import { resolve } from '$app/paths'
import { callApi } from '$lib/api/call-api'
import type { Account } from '$lib/api/types'
import { toasts } from '$lib/state/live/toasts.svelte'

/** Goes on as the account, for an hour at most; the administrator's session ends with that. */
export const logInAs = async (account: Account): Promise<void> => {
  const result = await callApi('POST', `/api/accounts/${account.id}/login`)
  if (result.ok) await goto(resolve('/'), { invalidateAll: true })
  else toasts.bad(result.error)
}
