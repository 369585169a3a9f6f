import { callApi } from '$lib/api/call-api'
import type { Account } from '$lib/api/types'
import { toasts } from '$lib/state/toasts.svelte'
import { texts } from '$lib/texts'

/** Opens a suspended account again; it needs no confirmation, since nothing is lost. */
export const unsuspendAccount = async (
  account: Account,
  ondone: () => Promise<unknown>,
): Promise<void> => {
  const result = await callApi('POST', `/api/accounts/${account.id}/unsuspend`)
  if (result.ok) toasts.ok(texts.accounts.unsuspend.done(account.username))
  else toasts.bad(result.error)
  await ondone()
}
