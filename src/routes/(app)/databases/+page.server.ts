import type { Account, Database, EngineInfo } from '$lib/api/types'
import { readApi } from '$lib/server/read-api'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:databases')
  const [engines, accounts] = await Promise.all([
    readApi<EngineInfo[]>(event, '/api/databases/engines'),
    readApi<Account[]>(event, '/api/accounts'),
  ])
  const list = accounts.ok ? accounts.data : []
  const wanted = Number(event.url.searchParams.get('account'))
  const account = list.find(({ id }) => id === wanted) ?? list[0] ?? null
  const databases = account
    ? await readApi<Database[]>(event, `/api/databases/${account.id}`)
    : null
  return { engines, accounts, account, databases }
}
