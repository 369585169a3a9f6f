import { LOCAL_HOST } from '../../../ports/store/host-store.ts'
import { notFound } from '../../../errors.ts'
import type { ArchiveFacts, ArchiveSource } from '../../../ports/host/backups/archived-records.ts'
import { LOCAL } from '../../../ports/host/backups/backups.ts'
import type { Report } from '../../../ports/jobs.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { createBackupCopies } from '../copies.ts'
import { withArchive } from './open-archive.ts'

/** Where the archive is: a file of the host or of a target, or a backup that the panel knows. */
export type ImportFrom =
  | { path: string }
  | { target: string; filename: string }
  | { accountId: number; filename: string; location: string | null }
  | { accountId: number; snapshot: string }

/** Opens archives for as long as `work` takes, of a backup the first copy that can be had; `location` is where that lies. */
export const createOpenFrom = (deps: Pick<ServiceDeps, 'store' | 'host' | 'log'>) => {
  const { store, host } = deps
  const copies = createBackupCopies(deps)

  return async <T>(
    from: ImportFrom,
    work: (facts: ArchiveFacts, importId: string, location: string, hostId: number) => Promise<T>,
    report?: Report,
  ): Promise<T> => {
    const open = (source: ArchiveSource, location: string, hostId: number): Promise<T> =>
      withArchive(
        host.of(hostId).imports,
        source,
        (facts, id) => work(facts, id, location, hostId),
        report,
      )
    if ('path' in from) return open({ kind: 'file', path: from.path }, LOCAL, LOCAL_HOST)
    if ('target' in from) return open({ kind: 'target', ...from }, from.target, LOCAL_HOST)
    if ('snapshot' in from) {
      const { accountId, snapshot: id } = from
      const { rows } = await store.listSnapshots({ accountId, filters: { id } })
      if (rows[0] === undefined) throw notFound('The account has no such snapshot.')
      const { username, location } = rows[0]
      const hostId = (await store.hostOfAccount(username)) ?? LOCAL_HOST
      return open({ kind: 'snapshot', username, location, snapshotId: id }, location, hostId)
    }
    const rows = await copies.at(from.accountId, from.filename, from.location)
    return copies.fromAny(rows, ({ username, filename, location, sha256, size_bytes, host_id }) => {
      const known = { username, filename, location, sha256, sizeBytes: size_bytes }
      return open({ kind: 'backup', ...known }, location, host_id)
    })
  }
}
