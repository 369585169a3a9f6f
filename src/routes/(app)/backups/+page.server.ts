import type { AccountLimits, Backup, RemoteTarget } from '$lib/api/types'
import { BACKUP_LIST } from '$lib/components/backups/backup-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:backups')
  const { me } = await event.parent()
  const [accounts, targets] = await Promise.all([
    readAccounts(event),
    me.role === 'admin' ? readApi<RemoteTarget[]>(event, '/api/backups/remote-targets') : null,
  ])
  const { chosen: account } = accounts
  const [backups, limits] = account
    ? await Promise.all([
        readList<Backup>(event, BACKUP_LIST, `/api/backups/accounts/${account.id}`),
        readApi<AccountLimits>(event, `/api/accounts/${account.id}/limits`),
      ])
    : [null, null]
  return { accounts, account, backups, limits, targets }
}
