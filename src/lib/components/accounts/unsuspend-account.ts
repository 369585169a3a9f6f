import type { Account } from '$lib/api/types'
import { toasts } from '$lib/state/live/toasts.svelte'
import { texts } from '$lib/texts'
import { runOnAccounts } from './run-on-accounts'
import { unsuspendAccount } from './set-status'

/** Opens suspended accounts again; it needs no confirmation, since nothing is lost. */
export const unsuspendAccounts = async (
  accounts: Account[],
  ondone: () => Promise<unknown>,
): Promise<void> => {
  const [first] = accounts
  if (accounts.length > 1)
    runOnAccounts(texts.lists.accounts.unsuspend(accounts.length), accounts, unsuspendAccount)
  if (accounts.length !== 1 || !first) return
  const result = await unsuspendAccount(first)
  if (result.ok) toasts.ok(texts.accounts.unsuspend.done(first.username))
  else toasts.bad(result.error)
  await ondone()
}
