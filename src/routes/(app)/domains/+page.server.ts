import type { Account, Domain, PhpVersion } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:domains')
  const [domains, accounts, versions] = await Promise.all([
    readApi<Domain[]>(event, '/api/domains'),
    readApi<Account[]>(event, '/api/accounts'),
    readApi<PhpVersion[]>(event, '/api/php/versions'),
  ])
  return {
    domains,
    accounts: accounts.ok ? accounts.data : [],
    versions: versions.ok ? versions.data : [],
  }
}
