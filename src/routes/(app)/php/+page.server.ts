import type { AccountPhp, PhpVersion } from '$lib/api/types'
import { PHP_LIST } from '$lib/components/php/php-list'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:php')
  const [versions, accounts] = await Promise.all([
    readApi<PhpVersion[]>(event, '/api/php/versions'),
    readList<AccountPhp>(event, PHP_LIST, '/api/php/config'),
  ])
  return { versions, accounts }
}
