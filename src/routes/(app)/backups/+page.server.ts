import type {
  AccountLimits,
  Backup,
  BackupProof,
  BackupState,
  KeptRestore,
  RecoveryState,
  RemoteTarget,
} from '$lib/api/types'
import { BACKUP_LIST } from '$lib/components/backups/backup-list'
import { leadToAll } from '$lib/server/lead-to-all'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:backups')
  const { me } = await event.parent()
  const isAdmin = me.role === 'admin'
  const [accounts, backupState, targets, recovery, proofs] = await Promise.all([
    readAccounts(event),
    readApi<BackupState>(event, '/api/backups/state'),
    isAdmin ? readApi<RemoteTarget[]>(event, '/api/backups/remote-targets') : null,
    isAdmin ? readApi<RecoveryState | null>(event, '/api/system/recovery') : null,
    isAdmin ? readApi<BackupProof[]>(event, '/api/backups/proofs?per_page=100') : null,
  ])
  await leadToAll(event, accounts, '/backups/all')
  const { chosen: account } = accounts
  const [backups, limits, restores] = account
    ? await Promise.all([
        readList<Backup>(event, BACKUP_LIST, `/api/backups/accounts/${account.id}`),
        readApi<AccountLimits>(event, `/api/accounts/${account.id}/limits`),
        readApi<KeptRestore[]>(event, `/api/backups/accounts/${account.id}/restores`),
      ])
    : [null, null, null]
  return { accounts, account, backupState, backups, limits, restores, targets, recovery, proofs }
}
