import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { lchown, mkdir, readFile, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { conflict, unavailable } from '#handlers/errors.ts'
import type { TrialFacts } from '#handlers/ports/host/backups/snapshots.ts'
import { measureFile } from '../backups/archive-file.ts'
import type { Report } from '../backups/works/report.ts'
import { MANIFEST, parseManifest } from '../backups/manifest.ts'
import type { Manifest } from '../backups/manifest.ts'
import type { RunAs } from '../../process/as-user.ts'
import { countTree } from './count-tree.ts'
import { bytesOfCounted, countSnapshot } from './listed-snapshots.ts'
import type { ListedSnapshot } from './listed-snapshots.ts'
import type { Repository } from './repository/repositories.ts'
import type { ScratchDatabases } from './scratch-databases.ts'

/** Restores a snapshot whole into a scratch directory and its dumps into scratch databases, counts, and removes it all. */
export const trySnapshot = async (input: {
  repository: Repository
  snapshot: ListedSnapshot
  /** Does not exist yet; removed at the end. */
  directory: string
  user: RunAs | null
  /** As whom the database's client runs. */
  clientAs: RunAs | null
  databases: ScratchDatabases
  signal: AbortSignal
  report: Report
}): Promise<TrialFacts> => {
  const { repository, snapshot, directory, user, signal, report } = input
  const startedMs = performance.now()
  const counted = await countSnapshot(repository, snapshot, signal)
  const wanted = bytesOfCounted(counted)
  await mkdir(directory, { mode: 0o700 })
  try {
    const { bavail, bsize } = await statfs(directory)
    if (wanted > bavail * bsize)
      throw unavailable(
        `The disk has no room for the ${inMegabytes(wanted, Math.ceil)} of the test restore.`,
      )
    if (user !== null) await lchown(directory, user.uid, user.gid)
    report('restore', 'Restoring all of it', 10)
    const root = path.join(directory, 'all')
    // Owners cannot be given to others, which an unprivileged restore leaves; contents are compared.
    const restic = ['restore', '--target', root, '--verify', '--', snapshot.id]
    await repository.run(restic, { signal })
    report('count', 'Counting files', 60)
    const home = await countTree(path.join(root, snapshot.home))
    if (home.files !== counted.files || home.bytes !== counted.homeBytes)
      throw conflict(
        `The test restore gave ${home.files} files with ${home.bytes} bytes; the snapshot has ${counted.files} with ${counted.homeBytes}.`,
      )
    const staged = path.join(root, snapshot.staging)
    const manifest: Manifest = parseManifest(
      await readFile(path.join(staged, MANIFEST), 'utf8'),
      repository.place.username,
    )
    const databases: TrialFacts['databases'] = []
    for (const [index, dump] of manifest.databases.entries()) {
      signal.throwIfAborted()
      report('databases', dump.database, 70 + (25 * index) / manifest.databases.length)
      const file = path.join(staged, 'databases', dump.file)
      if ((await measureFile(file)).sha256 !== dump.sha256)
        throw conflict(`The dump of ${dump.database} is not the one of its manifest.`)
      const { engine, database } = dump
      databases.push({
        engine,
        database,
        ...(await input.databases.load(dump, file, input.clientAs)),
      })
    }
    return {
      files: home.files,
      bytes: home.bytes + manifest.databases.reduce((sum, row) => sum + row.size_bytes, 0),
      databases,
      seconds: Math.round((performance.now() - startedMs) / 1000),
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
