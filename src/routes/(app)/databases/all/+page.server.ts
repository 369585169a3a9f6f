import type { EngineInfo, ListedDatabase } from '$lib/api/types'
import { ALL_DATABASES_LIST } from '$lib/components/databases/all-databases-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import { requireManager } from '$lib/server/require-manager'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:databases')
  const [, engines, offered, databases] = await Promise.all([
    requireManager(event),
    readApi<EngineInfo[]>(event, '/api/databases/engines'),
    readAccounts(event),
    readList<ListedDatabase>(event, ALL_DATABASES_LIST, '/api/databases'),
  ])
  return { engines, accounts: { ...offered, chosen: null }, databases }
}
