import type { Backup, BackupState, RecoveryState, RemoteTarget } from '$lib/api/types'
import { ALL_BACKUPS_LIST } from '$lib/components/backups/all-backups-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import { requireManager } from '$lib/server/require-manager'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:backups')
  const isAdmin = (await requireManager(event)).role === 'admin'
  const [offered, backupState, targets, recovery, backups] = await Promise.all([
    readAccounts(event),
    readApi<BackupState>(event, '/api/backups/state'),
    isAdmin ? readApi<RemoteTarget[]>(event, '/api/backups/remote-targets') : null,
    isAdmin ? readApi<RecoveryState | null>(event, '/api/system/recovery') : null,
    readList<Backup>(event, ALL_BACKUPS_LIST, '/api/backups'),
  ])
  return { accounts: { ...offered, chosen: null }, backupState, targets, recovery, backups }
}
