import { rm } from 'node:fs/promises'
import path from 'node:path'
import { isAppError } from '#handlers/errors.ts'
import { LOCAL } from '#handlers/ports/host/backups/backups.ts'
import type { SnapshotPlace } from '#handlers/ports/host/backups/snapshots.ts'
import { openTarget } from '../../backups/remote/open-target.ts'
import { listSnapshots } from '../listed-snapshots.ts'
import type { Repositories, RepositoryDeps } from './repositories.ts'
import { belowOf } from './repository-address.ts'

/** Removes a whole repository of this host; a missing one is no error, one of another host stays. */
export const removeRepository = async (
  deps: RepositoryDeps,
  repositories: Repositories,
  place: SnapshotPlace,
): Promise<void> => {
  const { username, location } = place
  if (location === LOCAL) {
    await rm(path.join(deps.directory, username), { recursive: true, force: true })
    return
  }
  const [{ hostId }] = await deps.keys.all()
  const store = openTarget(deps.targets(), location)
  // Packs go by the hundred this way; what is left are a few small files.
  await repositories
    .withRepository(place, async (repository) => {
      if (repository.key.hostId !== hostId) return
      const ids = (await listSnapshots(repository)).map(({ id }) => id)
      if (ids.length > 0) await repository.run(['forget', '--prune', '--', ...ids])
    })
    .catch((error: unknown) => {
      if (!isAppError(error) || error.status !== 404) throw error
    })
  await store.removeFolder(belowOf('', hostId, username))
}
