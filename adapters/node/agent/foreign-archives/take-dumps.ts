import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ForeignDatabase } from '#handlers/domain/foreign-archives/foreign-account.ts'
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

/** Bounds a stream and measures it. */
const createMeasure = (limits: TarLimits) => {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      if (sizeBytes > limits.maxBytes) {
        done(tooLarge(limits))
        return
      }
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { stream, result: () => ({ sizeBytes, sha256: hash.digest('hex') }) }
}

/**
 * Writes the dumps of an archive into `directory` (0600, `nameOf` says under which
 * name), decompressed, without the line that only the newest clients understand.
 * 413 where one is larger than `limits.maxBytes`, whatever its headers say.
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
  await readTar(await openCompressed(input.file), input.limits, async (entry, content) => {
    const database = wanted.get(entry.name)
    if (database === undefined || entry.type !== 'file') return
    wanted.delete(entry.name)
    const measure = createMeasure(input.limits)
    await pipeline(
      Readable.from(cleanDump(decompressed(Readable.from(content), database.compression))),
      measure.stream,
      createWriteStream(path.join(input.directory, input.nameOf(database)), {
        flags: 'wx',
        mode: 0o600,
      }),
    )
    taken.push({ database, ...measure.result() })
  })
  return taken
}
