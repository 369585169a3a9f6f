import type { AccountLimits, Domain, PhpVersion } from '$lib/api/types'
import { DOMAIN_LIST } from '$lib/components/domains/domain-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:domains')
  const { me } = await event.parent()
  const [domains, accounts, versions, limits] = await Promise.all([
    readList<Domain>(event, DOMAIN_LIST, '/api/domains'),
    readAccounts(event),
    readApi<PhpVersion[]>(event, '/api/php/versions'),
    me.account_id ? readApi<AccountLimits>(event, `/api/accounts/${me.account_id}/limits`) : null,
  ])
  return { domains, accounts, limits, versions: versions.ok ? versions.data : [] }
}
