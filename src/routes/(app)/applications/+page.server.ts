import type { AccountLimits, Application, ApplicationRuntimes } from '$lib/api/types'
import { APPLICATION_LIST } from '$lib/components/applications/application-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import { managesAccounts } from '$lib/state/manages'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:applications')
  const [{ me }, offered] = await Promise.all([event.parent(), readAccounts(event)])
  // Who manages accounts sees the applications of all of them until one is chosen.
  const all = managesAccounts(me.role) && !event.url.searchParams.get('account')
  const account = all ? null : offered.chosen
  const accounts = { ...offered, chosen: account }
  const path = account ? `/api/applications/${account.id}` : '/api/applications'
  const [applications, runtimes, limits] = await Promise.all([
    all || account ? readList<Application>(event, APPLICATION_LIST, path) : null,
    readApi<ApplicationRuntimes>(event, '/api/applications/runtimes'),
    account ? readApi<AccountLimits>(event, `/api/accounts/${account.id}/limits`) : null,
  ])
  return { accounts, account, applications, runtimes, limits }
}
