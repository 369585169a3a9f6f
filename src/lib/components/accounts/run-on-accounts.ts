import type { Account, ApiResult } from '$lib/api/types'
import { bulkRuns } from '$lib/state/live/bulk-runs.svelte'

/** Does something to several accounts, one after the other. */
export const runOnAccounts = (
  title: string,
  accounts: readonly Account[],
  work: (account: Account) => Promise<ApiResult<unknown>>,
): void =>
  bulkRuns.start(
    title,
    accounts.map((account) => ({
      key: String(account.id),
      label: account.username,
      run: () => work(account),
    })),
    ['berth:accounts', 'berth:stats'],
  )
