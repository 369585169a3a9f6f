import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ForeignDatabase } from '#handlers/domain/foreign-archives/foreign-account.ts'
import { createMeter } from '../backups/archive-file.ts'
import { bytesOf, readTar, tooLarge } from '../../archives/tar-reader.ts'
import type { TarLimits } from '../../archives/tar-reader.ts'
import { CommandError } from '../../process/run-command.ts'
import { cleanDump } from './clean-dump.ts'
import { decompressed, openCompressed } from './open-compressed.ts'
import { boundedBytes } from './bounded-bytes.ts'
import { refusedDump } from '../databases/postgresql/plain-dump.ts'

/** A dump that lies in the working directory. */
export interface TakenDump {
  database: ForeignDatabase
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
}

/** A dump that only `pg_restore` reads as SQL; null where that is not installed. */
export type PlainDump = (dump: AsyncIterable<Buffer>) => AsyncIterable<Buffer> | null

/**
 * Writes the dumps of an archive into `directory` (0600, `nameOf` says under which
 * name), decompressed, without the line that only the newest clients understand.
 * A dump that only `pg_restore` reads becomes SQL; one that it refuses is told and left.
 * 413 where they are larger than `limits.maxBytes` together, whatever their headers say.
 */
export const takeDumps = async (input: {
  file: string
  databases: readonly ForeignDatabase[]
  directory: string
  nameOf: (database: ForeignDatabase) => string
  plainDump: PlainDump
  /** Told of a dump that cannot be taken, and why, in a sentence. */
  onRefused: (database: ForeignDatabase, why: string) => void
  limits: TarLimits
}): Promise<TakenDump[]> => {
  const wanted = new Map(input.databases.map((database) => [bytesOf(database.dump), database]))
  const taken: TakenDump[] = []
  if (wanted.size === 0) return taken
  const bounded = boundedBytes(input.limits.maxBytes, () => tooLarge(input.limits))
  const write = async (dump: AsyncIterable<Buffer>, file: string) => {
    const meter = createMeter()
    await pipeline(
      Readable.from(bounded(dump)),
      meter.stream,
      createWriteStream(file, { flags: 'wx', mode: 0o600 }),
    )
    return meter.result()
  }
  await readTar(await openCompressed(input.file), input.limits, async (entry, content) => {
    const database = wanted.get(entry.name)
    if (database === undefined || entry.type !== 'file') return
    wanted.delete(entry.name)
    const given = decompressed(Readable.from(content), database.compression)
    const file = path.join(input.directory, input.nameOf(database))
    if (database.form === 'sql') {
      taken.push({ database, ...(await write(cleanDump(given), file)) })
      return
    }
    // As a file first: a member is read to its end, also where pg_restore leaves off.
    const archived = `${file}.archived`
    try {
      await pipeline(given, createWriteStream(archived, { flags: 'wx', mode: 0o600 }))
      const plain = input.plainDump(createReadStream(archived))
      if (plain !== null) taken.push({ database, ...(await write(plain, file)) })
      else
        input.onRefused(
          database,
          'Only pg_restore reads its dump, and PostgreSQL is not installed here.',
        )
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      await rm(file, { force: true })
      input.onRefused(database, `Its dump cannot be read here: ${refusedDump(error)}`)
    } finally {
      await rm(archived, { force: true })
    }
  })
  return taken
}
