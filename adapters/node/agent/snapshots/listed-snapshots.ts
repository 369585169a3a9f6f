import { readFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { notFound } from '#handlers/errors.ts'
import type { SnapshotFacts } from '#handlers/ports/host/backups/snapshots.ts'
import type { BackedUpDatabase } from '#handlers/ports/store/records.ts'
import { writeWhole } from '../../layout/write-whole.ts'
import { jsonLines } from './repository/restic-process.ts'
import { outputOfRestic } from './repository/repositories.ts'
import type { Repository } from './repository/repositories.ts'

/** Name of the directory, beside the home, that a snapshot is made of. */
export const STAGING = 'snapshot-staging'

const rowsSchema = z.array(
  z.object({
    id: z.string().regex(/^[0-9a-f]{64}$/),
    time: z.string(),
    tags: z.array(z.string()).nullish(),
    paths: z.array(z.string()),
  }),
)

/** A snapshot as `restic snapshots` tells it, where it is one of ours. */
export interface ListedSnapshot {
  id: string
  /** Unix ms. */
  atMs: number
  scheduled: boolean
  operationId: string
  databases: BackedUpDatabase[]
  /** Absolute paths in it. */
  home: string
  staging: string
}

/** The tags of a snapshot, which tell what it is also without its manifest. */
export const tagsOf = (input: {
  username: string
  operationId: string
  scheduled: boolean
  databases: readonly BackedUpDatabase[]
}): string[] => [
  `acct:${input.username}`,
  `op:${input.operationId}`,
  ...(input.scheduled ? ['scheduled'] : []),
  ...input.databases.map(({ engine, database }) => `db:${engine}:${database}`),
]

const databaseSchema = z.tuple([
  z.literal('db'),
  z.enum(['mariadb', 'mysql', 'postgresql']),
  z.string().regex(/^[a-z0-9_]{1,64}$/),
])

/** Snapshots of the account, newest first; what somebody else keeps in the repository is passed over. */
export const listSnapshots = async (
  repository: Repository,
  more: readonly string[] = [],
): Promise<ListedSnapshot[]> => {
  const { username } = repository.place
  const tag = ['--tag', [`acct:${username}`, ...more].join(',')]
  const { stdout } = await repository.run(['snapshots', '--no-lock', '--json', ...tag])
  const parsed = rowsSchema.safeParse(JSON.parse(stdout === '' ? '[]' : stdout) ?? [])
  if (!parsed.success) throw repository.failure(0, 'its list of snapshots has an unknown form')
  return parsed.data
    .flatMap(({ id, time, tags, paths }): ListedSnapshot[] => {
      const staging = paths.find((one) => one.endsWith(`/${STAGING}/${username}`))
      const home = paths.find((one) => one !== staging)
      if (staging === undefined || home === undefined || paths.length !== 2) return []
      const words = tags ?? []
      return [
        {
          id,
          atMs: Date.parse(time),
          scheduled: words.includes('scheduled'),
          operationId: words.find((word) => word.startsWith('op:'))?.slice(3) ?? '',
          databases: words.flatMap((word) => {
            const { data } = databaseSchema.safeParse(word.split(':'))
            return data === undefined ? [] : [{ engine: data[1], database: data[2] }]
          }),
          home,
          staging,
        },
      ]
    })
    .sort((a, b) => b.atMs - a.atMs)
}

/** One of them, by its whole id; 404 where it is not there. */
export const requireSnapshot = async (
  repository: Repository,
  id: string,
): Promise<ListedSnapshot> => {
  const found = (await listSnapshots(repository)).find((one) => one.id === id)
  if (found !== undefined) return found
  throw notFound(
    `There is no snapshot ${id.slice(0, 8)} of ${repository.place.username} ${repository.address.where}.`,
  )
}

const nodeSchema = z.object({
  struct_type: z.literal('node'),
  name: z.string(),
  type: z.string(),
  path: z.string(),
  size: z.number().optional(),
  mode: z.number(),
  uid: z.number(),
  gid: z.number(),
  mtime: z.string(),
})
export type SnapshotNode = z.output<typeof nodeSchema>

/** Nodes of a snapshot, one after the other: all, a directory itself and what is right in it, or all `below` one. */
export async function* nodesOf(
  repository: Repository,
  snapshotId: string,
  directory: string | { below: string } | null,
  signal?: AbortSignal,
): AsyncGenerator<SnapshotNode> {
  const where =
    directory === null ? [] : typeof directory === 'string' ? [directory] : [directory.below]
  const deep = directory !== null && typeof directory !== 'string' ? ['--recursive'] : []
  const restic = repository.start(
    ['ls', '--no-lock', '--json', ...deep, '--', snapshotId, ...where],
    { signal },
  )
  for await (const value of jsonLines(outputOfRestic(repository, restic))) {
    const node = nodeSchema.safeParse(value)
    if (node.success) yield node.data
  }
}

/** What is in a snapshot, as its own list says. */
export interface CountedSnapshot {
  files: number
  homeBytes: number
  /** Sizes of what lies beside the home, by name below the staging directory. */
  staged: Map<string, number>
}

const MAX_STAGED = 50_000

export const countSnapshot = async (
  repository: Repository,
  { id, home, staging }: Pick<ListedSnapshot, 'id' | 'home' | 'staging'>,
  signal?: AbortSignal,
): Promise<CountedSnapshot> => {
  const counted: CountedSnapshot = { files: 0, homeBytes: 0, staged: new Map() }
  for await (const node of nodesOf(repository, id, null, signal)) {
    if (node.type !== 'file') continue
    if (node.path.startsWith(`${home}/`)) {
      counted.files += 1
      counted.homeBytes += node.size ?? 0
    } else if (node.path.startsWith(`${staging}/`) && counted.staged.size < MAX_STAGED)
      counted.staged.set(node.path.slice(staging.length + 1), node.size ?? 0)
  }
  return counted
}

/** Bytes of home and dumps together. */
export const bytesOfCounted = ({ homeBytes, staged }: CountedSnapshot): number =>
  [...staged].reduce(
    (sum, [name, size]) => sum + (name.startsWith('databases/') ? size : 0),
    homeBytes,
  )

const knownSchema = z.record(
  z.string(),
  z.object({
    files: z.number(),
    sizeBytes: z.number(),
    addedBytes: z.number().nullable(),
    unread: z.number(),
  }),
)
type Known = z.output<typeof knownSchema>[string]

/** Figures of snapshots, which restic tells at their making or counts by reading all of their lists; kept in `directory`. */
export const createSnapshotFigures = (directory: string) => {
  const fileOf = ({ place, key }: Repository): string =>
    path.join(directory, `${place.location}-${key.hostId}-${place.username}.json`)
  const readAll = async (repository: Repository): Promise<Record<string, Known>> => {
    try {
      return knownSchema.parse(JSON.parse(await readFile(fileOf(repository), 'utf8')))
    } catch {
      return {}
    }
  }
  const writeAll = async (repository: Repository, all: Record<string, Known>): Promise<void> => {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    writeWhole(fileOf(repository), JSON.stringify(all), { mode: 0o600 })
  }
  return {
    async keep(repository: Repository, id: string, figures: Known): Promise<void> {
      await writeAll(repository, { ...(await readAll(repository)), [id]: figures })
    },
    async forget(repository: Repository, ids: readonly string[]): Promise<void> {
      const all = Object.entries(await readAll(repository)).filter(([id]) => !ids.includes(id))
      await writeAll(repository, Object.fromEntries(all))
    },
    /** Counts those that nobody counted yet. */
    async facts(
      repository: Repository,
      listed: readonly ListedSnapshot[],
    ): Promise<SnapshotFacts[]> {
      const known = await readAll(repository)
      for (const one of listed) {
        if (known[one.id] !== undefined) continue
        const counted = await countSnapshot(repository, one)
        const sizeBytes = bytesOfCounted(counted)
        const figures = { files: counted.files, sizeBytes, addedBytes: null, unread: 0 }
        known[one.id] = figures
        await this.keep(repository, one.id, figures)
      }
      return listed.map(({ id, atMs, scheduled, databases }) => ({
        id,
        createdAt: timestamp(atMs),
        scheduled,
        databases,
        ...(known[id] ?? { files: 0, sizeBytes: 0, addedBytes: null, unread: 0 }),
      }))
    },
  }
}
export type SnapshotFigures = ReturnType<typeof createSnapshotFigures>
