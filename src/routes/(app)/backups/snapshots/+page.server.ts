import type {
  AccountLimits,
  BackupProof,
  KeptRestore,
  RemoteTarget,
  Snapshot,
  SnapshotFolder,
} from '$lib/api/types'
import { SNAPSHOT_LIST } from '$lib/components/backups/snapshots/snapshot-list'
import { leadToAll } from '$lib/server/lead-to-all'
import { readAccounts } from '$lib/server/read-accounts'
import { readApi } from '$lib/server/read-api'
import { readList } from '$lib/server/read-list'
import type { PageServerLoad } from './$types'

const ROOT = '/api/backups/snapshots'

/** Of the address, the snapshot that is looked into. */
const idOf = (params: URLSearchParams): string | null => {
  const id = params.get('snapshot') ?? ''
  return /^[0-9a-f]{64}$/.test(id) ? id : null
}

export const load: PageServerLoad = async (event) => {
  event.depends('berth:snapshots')
  const { me } = await event.parent()
  const { searchParams } = event.url
  const isAdmin = me.role === 'admin'
  const [accounts, engine, targets, proofs] = await Promise.all([
    readAccounts(event),
    readApi<{ version: string | null }>(event, `${ROOT}/engine`),
    isAdmin ? readApi<RemoteTarget[]>(event, '/api/backups/remote-targets') : null,
    isAdmin ? readApi<BackupProof[]>(event, '/api/backups/proofs?per_page=100') : null,
  ])
  await leadToAll(event, accounts, '/backups/snapshots/all')
  const { chosen: account } = accounts
  const common = { accounts, account, engine, targets, proofs }
  if (!account) return { ...common, snapshots: null, limits: null, restores: null, opened: null }
  const [snapshots, limits, restores] = await Promise.all([
    readList<Snapshot>(event, SNAPSHOT_LIST, `${ROOT}/accounts/${account.id}`),
    readApi<AccountLimits>(event, `/api/accounts/${account.id}/limits`),
    readApi<KeptRestore[]>(event, `/api/backups/accounts/${account.id}/restores`),
  ])
  const listed = { ...common, snapshots, limits, restores }
  const id = idOf(searchParams)
  if (id === null) return { ...listed, opened: null }
  const all = await readApi<Snapshot[]>(event, `${ROOT}/accounts/${account.id}`)
  const snapshot = all.ok ? all.data.find((one) => one.id === id) : undefined
  if (snapshot === undefined) return { ...listed, opened: null }
  const folder = searchParams.get('path') ?? ''
  const part = Math.max(1, Math.trunc(Number(searchParams.get('part') ?? 1)) || 1)
  const query = new URLSearchParams({ path: folder, page: String(part) })
  const entries = await readApi<SnapshotFolder>(
    event,
    `${ROOT}/accounts/${account.id}/${id}/browse?${query}`,
  )
  return { ...listed, opened: { snapshot, folder, part, entries } }
}
