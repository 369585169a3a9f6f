import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ForeignDatabase } from '#handlers/domain/foreign-archives/foreign-account.ts'
import { createMeter } from '../backups/archive-file.ts'
import { bytesOf, readTar, tooLarge } from '../backups/tar-reader.ts'
import type { TarLimits } from '../backups/tar-reader.ts'
import { cleanDump } from './clean-dump.ts'
import { decompressed, openCompressed } from './open-compressed.ts'

/** A dump that lies in the working directory. */
export interface TakenDump {
  database: ForeignDatabase
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
}

/** Passes bytes on as long as `limits` have room for those of all dumps together. */
const createBudget = (limits: TarLimits) => {
  let left = limits.maxBytes
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      left -= chunk.length
      if (left < 0) throw tooLarge(limits)
      yield chunk
    }
  }
}

/**
 * Writes the dumps of an archive into `directory` (0600, `nameOf` says under which
 * name), decompressed, without the line that only the newest clients understand.
 * 413 where they are larger than `limits.maxBytes` together, whatever their headers say.
 */
export const takeDumps = async (input: {
  file: string
  databases: readonly ForeignDatabase[]
  directory: string
  nameOf: (database: ForeignDatabase) => string
  limits: TarLimits
}): Promise<TakenDump[]> => {
  const wanted = new Map(input.databases.map((database) => [bytesOf(database.dump), database]))
  const taken: TakenDump[] = []
  if (wanted.size === 0) return taken
  const bounded = createBudget(input.limits)
  await readTar(await openCompressed(input.file), input.limits, async (entry, content) => {
    const database = wanted.get(entry.name)
    if (database === undefined || entry.type !== 'file') return
    wanted.delete(entry.name)
    const meter = createMeter()
    const dump = cleanDump(decompressed(Readable.from(content), database.compression))
    await pipeline(
      Readable.from(bounded(dump)),
      meter.stream,
      createWriteStream(path.join(input.directory, input.nameOf(database)), {
        flags: 'wx',
        mode: 0o600,
      }),
    )
    taken.push({ database, ...meter.result() })
  })
  return taken
}
