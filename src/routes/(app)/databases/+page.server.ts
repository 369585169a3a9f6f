import type {
  AccountLimits,
  Database,
  DatabaseAddress,
  DatabaseExport,
  DatabaseRemote,
  DatabaseUser,
  EngineInfo,
  KeptRestore,
} from '$lib/api/types'
import { DATABASE_LIST } from '$lib/components/databases/database-list'
import { leadToAll } from '$lib/server/lead-to-all'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:databases')
  const [engines, remote, accounts] = await Promise.all([
    readApi<EngineInfo[]>(event, '/api/databases/engines'),
    readApi<DatabaseRemote>(event, '/api/databases/remote'),
    readAccounts(event),
  ])
  await leadToAll(event, accounts, '/databases/all')
  const { chosen: account } = accounts
  const [databases, limits, exports, restores, users, addresses] = account
    ? await Promise.all([
        readList<Database>(event, DATABASE_LIST, `/api/databases/${account.id}`),
        readApi<AccountLimits>(event, `/api/accounts/${account.id}/limits`),
        readApi<DatabaseExport[]>(event, `/api/databases/${account.id}/exports`),
        readApi<KeptRestore[]>(event, `/api/backups/accounts/${account.id}/restores`),
        readApi<DatabaseUser[]>(event, `/api/database-users/${account.id}`),
        readApi<DatabaseAddress[]>(event, `/api/database-addresses/${account.id}`),
      ])
    : [null, null, null, null, null, null]
  return {
    ...{ engines, remote, accounts, account, databases },
    ...{ limits, exports, restores, users, addresses },
  }
}
