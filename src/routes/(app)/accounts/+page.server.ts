import { redirect } from '@sveltejs/kit'
import type { Account } from '$lib/api/types'
import { ACCOUNT_LIST, accountFilters } from '$lib/components/accounts/account-list'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:accounts')
  const { me } = await event.parent()
  if (me.role !== 'admin') redirect(303, `/accounts/${me.username}`)
  return { accounts: await readList<Account>(event, ACCOUNT_LIST, '/api/accounts', accountFilters) }
}
