import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { unavailable } from '#handlers/errors.ts'
import type { SnapshotWork } from '#handlers/ports/host/backups/snapshots.ts'
import { collectParts } from '../backups/collect-parts.ts'
import type { PartsInput } from '../backups/collect-parts.ts'
import type { Report } from '../backups/works/report.ts'
import { dumpName } from '../backups/dump-databases.ts'
import { MANIFEST } from '../backups/manifest.ts'
import { STAGING_PREFIX } from '../files/helper/swap-home.ts'
import { withHomeView } from './home-view.ts'
import { bytesOfCounted, countSnapshot, listSnapshots, tagsOf } from './listed-snapshots.ts'
import type { ListedSnapshot, SnapshotFigures } from './listed-snapshots.ts'
import { packBytes } from './pack-bytes.ts'
import { jsonLines } from './repository/restic-process.ts'
import type { Repository } from './repository/repositories.ts'

/** Some files could not be read; the snapshot is there. */
const INCOMPLETE = 3
const MAX_UNREAD = 1_000_000

/** Puts everything but the home into the staging directory; answers the sizes by name. */
export const stage = async (
  directory: string,
  input: Omit<PartsInput, 'directory'>,
): Promise<{ sizes: Map<string, number>; databases: ListedSnapshot['databases'] }> => {
  await rm(directory, { recursive: true, force: true })
  for (const name of ['', 'databases', 'certificates'])
    await mkdir(path.join(directory, name), { recursive: true, mode: 0o700 })
  const dumps = path.join(directory, 'databases')
  const { manifest, members } = await collectParts({ ...input, directory: dumps })
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const small = [...members, { name: MANIFEST, content: text }]
  for (const { name, content } of small)
    await writeFile(path.join(directory, name), content, { flag: 'wx', mode: 0o600 })
  const sizes = new Map(small.map(({ name, content }) => [name, content.length]))
  for (const row of manifest.databases) sizes.set(`databases/${dumpName(row)}`, row.size_bytes)
  const databases = manifest.databases.map(({ engine, database }) => ({ engine, database }))
  return { sizes, databases }
}

const messageSchema = z.discriminatedUnion('message_type', [
  z.object({
    message_type: z.literal('status'),
    percent_done: z.number().default(0),
    bytes_done: z.number().default(0),
  }),
  z.object({ message_type: z.literal('summary'), data_added_packed: z.number().optional() }),
])

/** In a pattern of restic's these mean something else than themselves. */
const literally = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&')

/**
 * Stores home and staging directory as one snapshot, and looks at what the repository has
 * of it then: restic 0.14 calls success also what is none.
 */
export const takeSnapshot = async (input: {
  repository: Repository
  work: Extract<SnapshotWork, { kind: 'snapshot' }>
  home: string
  staging: string
  staged: Awaited<ReturnType<typeof stage>>
  figures: SnapshotFigures
  /** Whether homes belong to others than us. */
  asRoot: boolean
  /** Stands while a snapshot is made: what was stored before a break is found by it. */
  unfinishedFile: string
  signal: AbortSignal
  report: Report
}): Promise<ListedSnapshot> => {
  const { repository, work, home, staging, signal, report } = input
  const { username, operationId, scheduled } = work
  const { databases, sizes } = input.staged
  // Stored in packs that no index tells of: reading their heads saves sending them again.
  if (
    await readFile(input.unfinishedFile).then(
      () => true,
      () => false,
    )
  )
    await repository.run(['rebuild-index'], { signal })
  await mkdir(path.dirname(input.unfinishedFile), { recursive: true, mode: 0o700 })
  await writeFile(input.unfinishedFile, '', { mode: 0o600 })
  const before = await packBytes(repository.address.directory)
  const tags = tagsOf({ username, operationId, scheduled, databases })
  const args = [
    ...['backup', '--json', '--host', repository.key.hostId],
    ...tags.flatMap((tag) => ['--tag', tag]),
    ...['--one-file-system', `--exclude=${literally(home)}/${STAGING_PREFIX}*`],
    ...['--', home, staging],
  ]
  const run = async (namespace: string | null): Promise<number | null> => {
    const restic = repository.start(args, { signal, namespace, readsAll: input.asRoot })
    let packed: number | null = null
    for await (const value of jsonLines(restic.stdout)) {
      const { data } = messageSchema.safeParse(value)
      if (data?.message_type === 'status')
        report('home', inMegabytes(data.bytes_done, Math.round), 30 + 60 * data.percent_done)
      else packed = data?.data_added_packed ?? null
    }
    const { code, stderr } = await restic.ended
    signal.throwIfAborted()
    if (code !== 0 && code !== INCOMPLETE) throw repository.failure(code, stderr)
    unread = stderr.split('\n').filter((line) => line.includes('"message_type":"error"')).length
    if (code === INCOMPLETE) unread = Math.min(Math.max(unread, 1), MAX_UNREAD)
    return packed
  }
  let unread = 0
  const packed = input.asRoot ? await withHomeView(home, run) : await run(null)
  report('verify', username, 92)
  const [made] = await listSnapshots(repository, [`op:${operationId}`])
  if (made === undefined)
    throw unavailable(
      'restic said that it made a snapshot, but the repository has none. See the agent log.',
    )
  const counted = await countSnapshot(repository, made, signal)
  const lost = [...sizes].filter(([name, size]) => counted.staged.get(name) !== size)
  if (lost.length > 0 || made.home !== home) {
    await repository.run(['forget', '--', made.id])
    throw unavailable(
      `The snapshot does not hold ${lost[0]?.[0] ?? 'the home'} as it was written, so it was removed. See the agent log.`,
    )
  }
  await rm(input.unfinishedFile, { force: true })
  const after = await packBytes(repository.address.directory)
  await input.figures.keep(repository, made.id, {
    files: counted.files,
    sizeBytes: bytesOfCounted(counted),
    addedBytes: packed ?? (before === null || after === null ? null : Math.max(0, after - before)),
    unread,
  })
  return made
}
