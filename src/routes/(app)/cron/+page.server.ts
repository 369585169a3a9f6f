import type { AccountLimits, ListedCronJob } from '$lib/api/types'
import { CRON_LIST } from '$lib/components/cron/cron-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import { managesAccounts } from '$lib/state/manages'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:cron')
  const [{ me }, offered] = await Promise.all([event.parent(), readAccounts(event)])
  // Who manages accounts sees the jobs of all of them until one is chosen.
  const all = managesAccounts(me.role) && !event.url.searchParams.get('account')
  const account = all ? null : offered.chosen
  const accounts = { ...offered, chosen: account }
  const [jobs, limits] = await Promise.all([
    all || account
      ? readList<ListedCronJob>(event, CRON_LIST, account ? `/api/cron/${account.id}` : '/api/cron')
      : null,
    account ? readApi<AccountLimits>(event, `/api/accounts/${account.id}/limits`) : null,
  ])
  return { accounts, account, jobs, limits }
}
