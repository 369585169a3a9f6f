import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, conflict, isAppError } from '#handlers/errors.ts'
import { PIECE_BYTES } from '#handlers/ports/host/files.ts'
import { CommandError } from '../../../process/run-command.ts'
import type { Engine } from '../../databases/engine.ts'
import { readZip } from '../../../archives/zip-reader.ts'
import type { HelperPool } from '../../files/helper-pool.ts'
import { cleanDump } from '../../foreign-archives/clean-dump.ts'
import { compressionOfFile, decompressed } from '../../foreign-archives/open-compressed.ts'
import type { RegisteredAccount } from '../../registry/types.ts'
import { boundedBytes } from '../../foreign-archives/bounded-bytes.ts'
import { refusedDump } from '../../databases/postgresql/plain-dump.ts'

/** Beside the dump a zip may hold a folder and what a Mac adds. */
const MOST_ENTRIES = 100
const ZIP = 0x504b0304
const CUSTOM_DUMP = 'PGDMP'

const tooLarge = (maxBytes: number): AppError =>
  new AppError(
    413,
    `The dump is larger than ${inMegabytes(maxBytes)}, which is what may be imported here at present. Nothing was changed.`,
  )

/** Copies a file of the home, read as the account, into a new file of ours; 413 above `maxBytes`. */
export const copyFromHome = async (input: {
  helpers: Pick<HelperPool, 'ask'>
  account: RegisteredAccount
  path: string
  file: string
  maxBytes: number
  onBytes: (bytes: number, of: number) => void
}): Promise<void> => {
  const { helpers, account, path, maxBytes, onBytes } = input
  const partAt = (offset: number, identity: string | null) =>
    helpers.ask(account, { op: 'readPart', path, offset, length: PIECE_BYTES, identity })
  async function* parts(): AsyncGenerator<Buffer> {
    let identity: string | null = null
    for (let offset = 0; ;) {
      const { data, body }: Awaited<ReturnType<typeof partAt>> = await partAt(offset, identity)
      if (body.length === 0) return
      // What a helper says is the tenant's word: counted is what has come.
      if (body.length > PIECE_BYTES) throw tooLarge(maxBytes)
      identity = data.identity
      offset += body.length
      onBytes(offset, data.facts.sizeBytes)
      yield body
    }
  }
  const out = createWriteStream(input.file, { flags: 'wx', mode: 0o600 })
  await pipeline(
    parts(),
    boundedBytes(maxBytes, () => tooLarge(maxBytes)),
    out,
  )
}

const headOf = async (file: string): Promise<Buffer> => {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Hands the one dump of a zip archive to `write`. */
const fromZip = async (
  file: string,
  maxBytes: number,
  write: (content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  const handle = await open(file)
  let found = 0
  try {
    await readZip(handle.fd, { maxEntries: MOST_ENTRIES, maxBytes }, async (entry, content) => {
      const { name } = entry
      if (entry.type !== 'file' || !/\.sql$/i.test(name) || /(^|\/)(__MACOSX\/|\.)/.test(name))
        return
      found += 1
      if (found > 1)
        throw conflict(
          'The zip archive holds several .sql files. Pack the one that is to be imported alone. Nothing was changed.',
        )
      await write(content)
    })
  } catch (error) {
    throw isAppError(error) && error.status === 413 ? tooLarge(maxBytes) : error
  } finally {
    await handle.close()
  }
  if (found === 0) throw conflict('The zip archive holds no .sql file. Nothing was changed.')
}

/**
 * Writes the SQL of a dump (plain, by gzip or zstd, in a zip archive, or in the format of
 * `pg_dump -Fc`, as its first bytes say) through `change` into a new file of ours, and answers how long it is. 409 for what
 * is damaged, empty or of another kind, 413 above `maxBytes`, however small it was packed.
 */
export const unpackDump = async (input: {
  packed: string
  file: string
  maxBytes: number
  change: Transform | null
  /** SQL of a dump that only `pg_restore` reads. Absent: the server has no such dumps. */
  plainDump: Engine['plainDump']
}): Promise<number> => {
  const { packed, file, maxBytes, change } = input
  let bytes = 0
  const bounded = boundedBytes(maxBytes, () => tooLarge(maxBytes))
  const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bounded(cleanDump(chunks))) {
      bytes += chunk.length
      yield chunk
    }
  }
  const write = async (content: AsyncIterable<Buffer>): Promise<void> => {
    const out = createWriteStream(file, { flags: 'wx', mode: 0o600 })
    await (change === null
      ? pipeline(counted(content), out)
      : pipeline(counted(content), change, out))
  }
  const head = await headOf(packed)
  if (head.toString('latin1').startsWith(CUSTOM_DUMP)) {
    const plain = input.plainDump?.(createReadStream(packed)) ?? null
    if (plain === null)
      throw conflict('This is a dump of PostgreSQL, and the database is not. Nothing was changed.')
    await write(plain).catch((error: unknown) => {
      throw error instanceof CommandError
        ? conflict(`pg_restore cannot read the dump: ${refusedDump(error)}. Nothing was changed.`)
        : error
    })
  } else if (head.length >= 4 && head.readUInt32BE() === ZIP) await fromZip(packed, maxBytes, write)
  else await write(decompressed(createReadStream(packed), await compressionOfFile(packed)))
  if (bytes === 0) throw conflict('The dump holds nothing. Nothing was changed.')
  return bytes
}
