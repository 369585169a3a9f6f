import type { Domain, Wordpress, WordpressSource } from '$lib/api/types'
import { WORDPRESS_LIST } from '$lib/components/wordpress/wordpress-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:wordpress')
  const accounts = await readAccounts(event)
  const { chosen: account } = accounts
  const [installations, sites, sources] = account
    ? await Promise.all([
        readList<Wordpress>(event, WORDPRESS_LIST, `/api/wordpress/${account.id}`),
        readApi<Domain[]>(event, `/api/domains/account/${account.id}`),
        readApi<WordpressSource[]>(event, '/api/wordpress/sources'),
      ])
    : [null, null, null]
  return { accounts, account, installations, sites, sources }
}
