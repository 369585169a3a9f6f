import type { RemoteTarget, Snapshot } from '$lib/api/types'
import { ALL_SNAPSHOTS_LIST } from '$lib/components/backups/snapshots/all-snapshots-list'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import { requireManager } from '$lib/server/require-manager'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async (event) => {
  event.depends('berth:snapshots')
  const isAdmin = (await requireManager(event)).role === 'admin'
  const [offered, targets, snapshots] = await Promise.all([
    readAccounts(event),
    isAdmin ? readApi<RemoteTarget[]>(event, '/api/backups/remote-targets') : null,
    readList<Snapshot>(event, ALL_SNAPSHOTS_LIST, '/api/backups/snapshots'),
  ])
  return { accounts: { ...offered, chosen: null }, targets, snapshots }
}
