import { createWriteStream } from 'node:fs'
import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { AppError, conflict, notFound } from '#handlers/errors.ts'
import type { MovesPort, MoveStream } from '#handlers/ports/host/accounts/moves.ts'
import { boundedBytes } from '../foreign-archives/bounded-bytes.ts'
import { contentLimits, ownerOf } from '../backups/create-backup.ts'
import type { BackupsService } from '../backups/backups-service.ts'
import type { Engine } from '../databases/engine.ts'
import { knownAccount } from '../registry/known-account.ts'
import type { RegisteredAccount, RegisteredDatabase } from '../registry/types.ts'
import { readSecrets, takeSecrets } from './account-secrets.ts'
import type { SecretsDeps } from './account-secrets.ts'
import { compareHomes, removeNames } from './compare-homes.ts'
import { packNames, unpackNames } from './copy-files.ts'
import { listHome } from './home-list.ts'
import { createMoveStreams } from './streams.ts'
import type { StreamWork } from './streams.ts'

const NOTHING = { entries: 0, bytes: 0, removed: 0, skipped: 0, skippedPaths: [] }
const TAIL_BYTES = 1024
/** Links are slower than this packs, and what is packed costs less than half of them. */
const FAST = { level: 1 }

/** Keeps the end of what passes. */
const createTail = () => {
  let tail: Buffer = Buffer.alloc(0)
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      tail = Buffer.from(Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES))
      done(null, chunk)
    },
  })
  return { stream, text: () => tail.toString('latin1') }
}

const NAMES_A_PIECE = 1000

/** Names, each ended by NUL. */
function* inPieces(names: readonly string[]): Generator<Buffer> {
  for (let at = 0; at < names.length; at += NAMES_A_PIECE)
    yield Buffer.from(
      names
        .slice(at, at + NAMES_A_PIECE)
        .map((name) => `${name}\0`)
        .join(''),
      'latin1',
    )
}

/** What a dump may take of the disk: others keep room, and the restore needs it once more. */
const roomFor = async (file: string): Promise<number> => {
  const { bavail, bsize } = await statfs(path.dirname(file))
  return Math.floor((bavail * bsize) / 3)
}

/** Moves of accounts between hosts; see `MovesPort` for what each call promises. */
export const createMovesPort = (
  deps: SecretsDeps & { backups: Pick<BackupsService, 'loadDump'> },
): MovesPort & { stop(): void } => {
  const { registry, engines, asRoot } = deps
  const streams = createMoveStreams()

  const databaseOf = (
    username: string,
    { engine: name, database }: Pick<RegisteredDatabase, 'engine' | 'database'>,
  ): { row: RegisteredDatabase; engine: Engine } => {
    const row = registry.database(name, database)
    const engine = engines.find((one) => one.name === name)
    if (row?.username !== username || engine === undefined)
      throw notFound(`Account ${username} has no database ${database} on this host.`)
    return { row, engine }
  }

  const workOf = (account: RegisteredAccount, streamId: string, stream: MoveStream): StreamWork => {
    const owner = ownerOf(account, asRoot)
    switch (stream.kind) {
      case 'list':
        return async ({ output }) => {
          await pipeline(listHome(owner), createGzip(FAST), output)
          return NOTHING
        }
      case 'compare':
        return async ({ input, output }) => {
          const told = input.pipe(createGunzip())
          input.once('error', (error) => told.destroy(error))
          const { wanted, gone, skipped } = await compareHomes(owner, told, stream.sinceSecs)
          await removeNames(owner, gone)
          await pipeline(Readable.from(inPieces(wanted)), output)
          return { ...NOTHING, ...skipped, entries: wanted.length, removed: gone.length }
        }
      case 'pack':
        return async ({ input, output }) => {
          await pipeline(await packNames(owner, input), createGzip(FAST), output)
          return NOTHING
        }
      case 'unpack':
        return async ({ input, output }) => {
          const packed = input.pipe(createGunzip())
          input.once('error', (error) => packed.destroy(error))
          const limits = await contentLimits(account, 'restore')
          const done = await unpackNames(owner, packed as AsyncIterable<Buffer>, limits)
          output.end()
          return { ...NOTHING, ...done }
        }
      case 'dump': {
        const { row, engine } = databaseOf(account.username, stream)
        return async ({ output }) => {
          await engine.whenReady()
          await pipeline(engine.dump(row.database), createGzip(FAST), output)
          return NOTHING
        }
      }
      case 'load': {
        const { row, engine } = databaseOf(account.username, stream)
        return async ({ input, output }) => {
          const tail = createTail()
          const { username } = account
          await deps.backups.loadDump(
            { operationId: streamId, username, database: row },
            async (file) => {
              // What comes packed says nothing of how long it is.
              const bound = boundedBytes(
                await roomFor(file),
                () =>
                  new AppError(
                    413,
                    `The dump of ${row.database} is larger than a third of what is free on this disk.`,
                  ),
              )
              const target = createWriteStream(file, { flags: 'wx', mode: 0o600 })
              await pipeline(input, createGunzip(), bound, tail.stream, target)
              if (!engine.dumpEnd.test(tail.text()))
                throw conflict(`The dump of ${row.database} that came has no end.`)
            },
          )
          output.end()
          return NOTHING
        }
      }
    }
  }

  return {
    secrets: ({ username }) => readSecrets(deps, username),
    takeSecrets: ({ username, secrets }) => takeSecrets(deps, username, secrets),
    async begin({ streamId, username, stream }) {
      streams.begin(streamId, workOf(knownAccount(registry, username), streamId, stream))
    },
    read: streams.read,
    write: streams.write,
    receipt: streams.receipt,
    drop: streams.drop,
    stop: streams.stop,
  }
}
