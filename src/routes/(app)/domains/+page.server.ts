import type { Account, Domain } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:domains')
  const [domains, accounts] = await Promise.all([
    readApi<Domain[]>(event, '/api/domains'),
    readApi<Account[]>(event, '/api/accounts'),
  ])
  return { domains, accounts: accounts.ok ? accounts.data : [] }
}
