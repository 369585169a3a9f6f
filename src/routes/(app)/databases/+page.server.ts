import type { AccountLimits, Database, EngineInfo } from '$lib/api/types'
import { DATABASE_LIST } from '$lib/components/databases/database-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:databases')
  const [engines, accounts] = await Promise.all([
    readApi<EngineInfo[]>(event, '/api/databases/engines'),
    readAccounts(event),
  ])
  const { chosen: account } = accounts
  const [databases, limits] = account
    ? await Promise.all([
        readList<Database>(event, DATABASE_LIST, `/api/databases/${account.id}`),
        readApi<AccountLimits>(event, `/api/accounts/${account.id}/limits`),
      ])
    : [null, null]
  return { engines, accounts, account, databases, limits }
}
