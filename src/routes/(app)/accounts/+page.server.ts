import { redirect } from '@sveltejs/kit'
import type { Account } from '$lib/api/types'
import { ACCOUNT_LIST, accountFilters } from '$lib/components/accounts/account-list'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import { managesAccounts } from '$lib/state/manages'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:accounts')
  const { me } = await event.parent()
  if (!managesAccounts(me.role)) {
    // A person's login is no account's name.
    const own = await readApi<Account[]>(event, '/api/accounts')
    redirect(303, `/accounts/${(own.ok ? own.data[0]?.username : undefined) ?? me.username}`)
  }
  return { accounts: await readList<Account>(event, ACCOUNT_LIST, '/api/accounts', accountFilters) }
}
