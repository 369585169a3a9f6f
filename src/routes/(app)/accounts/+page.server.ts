import type { Account } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:accounts')
  return { accounts: await readApi<Account[]>(event, '/api/accounts') }
}
