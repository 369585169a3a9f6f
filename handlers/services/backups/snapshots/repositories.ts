import { unavailable } from '../../../errors.ts'
import type { SnapshotFacts, SnapshotPlace } from '../../../ports/host/backups/snapshots.ts'
import type { SnapshotRow } from '../../../ports/store/snapshot-store.ts'
import type { ServiceDeps } from '../../service-deps.ts'

type Deps = Pick<ServiceDeps, 'store' | 'host'>

/** What the panel notes of a snapshot. */
export const snapshotRow = (
  accountId: number,
  { username, location }: SnapshotPlace,
  facts: SnapshotFacts,
): SnapshotRow => ({
  account_id: accountId,
  username,
  location,
  id: facts.id,
  created_at: facts.createdAt,
  scheduled: facts.scheduled,
  size_bytes: facts.sizeBytes,
  added_bytes: facts.addedBytes,
  files: facts.files,
  databases: facts.databases,
  unread: facts.unread,
})

/** How the records of a repository were changed. */
export interface Reconciled {
  added: number
  forgotten: number
}

/**
 * Brings the records of a repository up to what it holds. What nobody knows belongs to
 * the account of that name only if it was made in its days: an earlier account of the
 * name had the same repository. Where a repository is missing as a whole its records
 * are kept, but for those in `ids` (503 when any other is left).
 */
export const reconcile = async (
  { store, host }: Deps,
  place: SnapshotPlace,
  ids: readonly string[] = [],
): Promise<Reconciled> => {
  const { username, location } = place
  const facts = await host.snapshots.list({ username, location })
  const known = await store.snapshotsAt(username, location)
  const account = await store.accountByName(username)
  const listed = new Set(facts.map(({ id }) => id))
  const missing = known.filter(({ id }) => !listed.has(id))
  const gone = missing.filter(({ id }) => facts.length > 0 || ids.includes(id))
  for (const { id } of gone) await store.deleteSnapshot(location, id)
  if (gone.length < missing.length)
    throw unavailable(
      `There are no snapshots of ${username} at ${location}, though the panel knows ${missing.length - gone.length}. See whether the disk is mounted and the target is the same as before.`,
    )
  const recorded = new Set(known.map(({ id }) => id))
  const found = facts.filter(
    ({ id, createdAt }) => account !== null && !recorded.has(id) && createdAt >= account.created_at,
  )
  if (account !== null)
    for (const one of found) await store.putSnapshot(snapshotRow(account.id, place, one))
  return { added: found.length, forgotten: gone.length }
}
