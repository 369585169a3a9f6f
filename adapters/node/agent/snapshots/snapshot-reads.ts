import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { snapshotPath } from '#handlers/domain/backups/snapshot-path.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { conflict, notFound } from '#handlers/errors.ts'
import type { SnapshotEntry } from '#handlers/ports/host/backups/snapshot-entry.ts'
import type { SnapshotsPort } from '#handlers/ports/host/backups/snapshots.ts'
import { dumpName } from '../backups/dump-databases.ts'
import { createSkipped } from '../backups/skipped.ts'
import { bytesOf } from '../../archives/tar-reader.ts'
import { TAR_END, tarHeader, tarPadding } from '../backups/tar-writer.ts'
import { nodesOf, requireSnapshot } from './listed-snapshots.ts'
import type { ListedSnapshot, SnapshotNode } from './listed-snapshots.ts'
import { outputOfRestic } from './repository/repositories.ts'
import type { Repositories, Repository } from './repository/repositories.ts'
import { snapshotHome } from './snapshot-home.ts'

const PAGE = 1000
const READ_BYTES = 2 ** 20
/** Of one that nobody asks for any more. */
const FORGET_MS = 60_000
/** Each is a process of restic. */
const MAX_OPEN = 8

const TYPES: Readonly<Record<string, SnapshotEntry['type']>> = {
  file: 'file',
  dir: 'directory',
  symlink: 'symlink',
}

const entryOf = (node: SnapshotNode, home: string): SnapshotEntry | null => {
  const type = TYPES[node.type]
  if (type === undefined) return null
  return {
    path: node.path.slice(home.length + 1),
    type,
    sizeBytes: node.size ?? 0,
    mode: (node.mode & 0o777).toString(8),
    modifiedAt: timestamp(Date.parse(node.mtime)),
  }
}

/** A folder as tar.gz, its members below its own name. */
const packed = (home: ReturnType<typeof snapshotHome>, folder: string, root: string): Readable => {
  const out = new PassThrough({ highWaterMark: 256 * 1024 })
  const below = folder === '' ? '' : `${bytesOf(folder)}/`
  const put = async (chunk: Buffer): Promise<void> => {
    if (out.destroyed) throw new Error('nobody reads it any more')
    if (!out.write(chunk)) await Promise.race([once(out, 'drain'), once(out, 'close')])
  }
  const produce = async (): Promise<void> => {
    await home(async (entry, content) => {
      const named = { ...entry, name: `${root}/${entry.name.slice(below.length)}` }
      await put(tarHeader(named))
      for await (const chunk of content) await put(chunk)
      await put(tarPadding(named))
    }, createSkipped())
    await put(TAR_END)
    out.end()
  }
  produce().catch((error: unknown) => out.destroy(error instanceof Error ? error : undefined))
  const zipped = createGzip()
  out.on('error', (error) => zipped.destroy(error))
  zipped.on('close', () => out.destroy())
  return out.pipe(zipped)
}

interface Read {
  stream: Readable
  /** One question after the other. */
  turn: Promise<unknown>
  timer: NodeJS.Timeout
  end: () => Promise<void>
}

/** What of snapshots is looked at and downloaded. */
export const createSnapshotReads = (
  repositories: Repositories,
  /** The account's number here; null: everything is everybody's (rootless mode). */
  uidOf: (
    username: string,
    snapshot: ListedSnapshot,
    repository: Repository,
  ) => Promise<number | null>,
): Pick<SnapshotsPort, 'browse' | 'open' | 'read' | 'close'> & { stop(): Promise<void> } => {
  const reads = new Map<string, Read>()
  let opening = 0
  const end = async (readId: string): Promise<void> => {
    const read = reads.get(readId)
    reads.delete(readId)
    await read?.end()
  }
  const nodeAt = async (
    repository: Repository,
    { id }: ListedSnapshot,
    absolute: string,
  ): Promise<SnapshotNode> => {
    for await (const node of nodesOf(repository, id, absolute))
      if (node.path === absolute) return node
    throw notFound('It is not in this snapshot.')
  }

  const opened = async (
    repository: Repository,
    input: Parameters<SnapshotsPort['open']>[0],
  ): Promise<{ filename: string; sizeBytes: number | null; stream: Readable }> => {
    const { what, username } = input
    const snapshot = await requireSnapshot(repository, input.snapshotId)
    const dump = (absolute: string): Readable => {
      const args = ['dump', '--no-lock', '--', snapshot.id, absolute]
      return outputOfRestic(repository, repository.start(args))
    }
    if ('database' in what) {
      const filename = dumpName(what.database)
      const absolute = `${snapshot.staging}/databases/${filename}`
      const { size } = await nodeAt(repository, snapshot, absolute)
      return { filename, sizeBytes: size ?? 0, stream: dump(absolute) }
    }
    const below = snapshotPath(what.path, 'path')
    const absolute = below === '' ? snapshot.home : `${snapshot.home}/${below}`
    const name = below.split('/').at(-1) || username
    const node = await nodeAt(repository, snapshot, absolute)
    const uid = await uidOf(username, snapshot, repository)
    if (node.type === 'dir') {
      const home = snapshotHome({ repository, snapshot, uid, folder: below })
      const root = bytesOf(name)
      return { filename: `${name}.tar.gz`, sizeBytes: null, stream: packed(home, below, root) }
    }
    if (node.type !== 'file')
      throw conflict(`${below} is no file and no folder. Download the folder that it lies in.`)
    const isOwn = uid === null || node.uid === uid || (node.mode & 0o004) !== 0
    if (!isOwn) throw notFound('It is not in this snapshot.')
    return { filename: name, sizeBytes: node.size ?? 0, stream: dump(absolute) }
  }

  return {
    browse: ({ username, location, snapshotId, directory, offset }) =>
      repositories.withRepository({ username, location }, async (repository) => {
        const below = snapshotPath(directory, 'directory')
        const snapshot = await requireSnapshot(repository, snapshotId)
        const absolute = below === '' ? snapshot.home : `${snapshot.home}/${below}`
        const entries: SnapshotEntry[] = []
        let total = 0
        let found = false
        for await (const node of nodesOf(repository, snapshot.id, absolute)) {
          if (node.path === absolute) found = node.type === 'dir'
          if (!node.path.startsWith(`${absolute}/`)) continue
          const entry = entryOf(node, snapshot.home)
          if (entry === null) continue
          if (total >= offset && entries.length < PAGE) entries.push(entry)
          total += 1
        }
        if (!found) throw notFound(`There is no folder "${below}" in this snapshot.`)
        return { entries, total }
      }),
    async open(input) {
      if (reads.has(input.readId)) throw conflict('It is being read already.')
      if (reads.size + opening >= MAX_OPEN)
        throw conflict(
          'Several downloads from snapshots are under way. Try again when one is done.',
        )
      opening += 1
      try {
        // Before anything is started for it.
        if ('path' in input.what) snapshotPath(input.what.path, 'path')
        const repository = await repositories.open(input)
        try {
          const { stream, ...facts } = await opened(repository, input)
          stream.on('error', () => undefined)
          const timer = setTimeout(() => void end(input.readId), FORGET_MS).unref()
          reads.set(input.readId, {
            stream,
            timer,
            turn: Promise.resolve(),
            async end() {
              clearTimeout(timer)
              stream.destroy()
              await repository.address.close()
            },
          })
          return facts
        } catch (error) {
          await repository.address.close()
          throw error
        }
      } finally {
        opening -= 1
      }
    },
    async read({ readId }) {
      const read = reads.get(readId)
      if (read === undefined) throw notFound('It is not open any more. Begin again.')
      const next = async (): Promise<{ content: string }> => {
        const { stream } = read
        for (;;) {
          read.timer.refresh()
          const whole = stream.readableLength >= READ_BYTES
          const chunk: unknown = stream.read(whole ? READ_BYTES : undefined)
          if (Buffer.isBuffer(chunk)) {
            if (chunk.length > READ_BYTES) stream.unshift(chunk.subarray(READ_BYTES))
            return { content: chunk.subarray(0, READ_BYTES).toString('base64') }
          }
          if (stream.errored) throw stream.errored
          if (stream.readableEnded || stream.destroyed) return { content: '' }
          await new Promise<void>((resolve) => {
            const done = (): void => {
              for (const event of ['readable', 'end', 'close', 'error']) stream.off(event, done)
              resolve()
            }
            for (const event of ['readable', 'end', 'close', 'error']) stream.on(event, done)
          })
        }
      }
      const mine = read.turn.then(next, next)
      read.turn = mine.catch(() => undefined)
      return mine.catch(async (error: unknown) => {
        await end(readId)
        throw error
      })
    },
    close: ({ readId }) => end(readId),
    async stop() {
      for (const readId of [...reads.keys()]) await end(readId)
    },
  }
}
