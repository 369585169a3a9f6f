import { conflict } from '#handlers/errors.ts'
import type { SnapshotResult } from '#handlers/ports/host/backups/snapshots.ts'
import type { Report } from '../backups/works/report.ts'
import { listSnapshots } from './listed-snapshots.ts'
import type { SnapshotFigures } from './listed-snapshots.ts'
import { packBytes } from './pack-bytes.ts'
import { withoutPlaces } from '../backups/remote/without-places.ts'
import type { Repository } from './repository/repositories.ts'

/** Removes snapshots by their ids and gives their room back; answers which are gone then. */
export const removeSnapshots = async (
  repository: Repository,
  ids: readonly string[],
  figures: SnapshotFigures,
  signal: AbortSignal,
  report: Report,
): Promise<string[]> => {
  const before = (await listSnapshots(repository)).map(({ id }) => id)
  const gone = before.filter((id) => ids.includes(id))
  report('prune', `${gone.length}`, 20)
  // Never by rules of its own: what is to go is named.
  const args = gone.length > 0 ? ['forget', '--prune', '--', ...gone] : ['prune']
  await repository.run(args, { signal })
  await figures.forget(repository, gone)
  const after = new Set((await listSnapshots(repository)).map(({ id }) => id))
  return gone.filter((id) => !after.has(id))
}

/** The lines that name what is wrong, each once. */
const complaints = (text: string): string =>
  withoutPlaces(
    [...new Set(text.split('\n').filter((line) => /error|fatal|pack|damaged/i.test(line)))]
      .slice(0, 3)
      .join('; '),
  )

/** Looks through the structure and reads one share of the data back: 409 for a damaged repository. */
export const checkRepository = async (
  repository: Repository,
  share: { nth: number; of: number },
  signal: AbortSignal,
  report: Report,
): Promise<SnapshotResult> => {
  const startedMs = performance.now()
  report('check', `${share.nth}/${share.of}`, 10)
  const { place, address } = repository
  const readBytes = await packBytes(address.directory, share)
  const { code, stdout, stderr } = await repository.run(
    ['check', `--read-data-subset=${share.nth}/${share.of}`],
    { signal, goodCodes: [0, 1] },
  )
  // An early break may give either code.
  if (code !== 0 && !/repository contains errors/i.test(stderr))
    throw repository.failure(code, stderr)
  if (code !== 0 || !stdout.includes('no errors were found'))
    throw conflict(
      `The repository of ${place.username} ${address.where} is damaged: ${complaints(`${stderr}\n${stdout}`)}. Make new snapshots at another place, then see docs/backup-format.md.`,
    )
  return {
    kind: 'check',
    readBytes,
    seconds: Math.round((performance.now() - startedMs) / 1000),
  }
}
