import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { AppError, unavailable } from '#handlers/errors.ts'
import type { DumpFormat } from '#handlers/ports/host/database-copies.ts'
import type { Engine } from '../../databases/engine.ts'
import { stallLimit } from '../stall-limit.ts'
import { zipOfOne } from './zip-of-one.ts'
import { boundedBytes } from '../../foreign-archives/bounded-bytes.ts'

/** A tenant can lock its own tables for ever. */
const STALL_MS = 600_000
const TAIL_BYTES = 1024

/** Passes a dump on, tells how much has come, and at its end whether it is whole. */
const watched = (end: RegExp, onBytes: (bytes: number) => void): Transform => {
  let bytes = 0
  let tail = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
      onBytes(bytes)
      done(null, chunk)
    },
    flush(done) {
      if (end.test(tail.toString('latin1'))) done()
      else done(unavailable('The dump of the database is not complete. Try again.'))
    },
  })
}

/** Tables may be packed on the disk, and their dump a hundred times as long. */
const tooLarge = (maxBytes: number): AppError =>
  new AppError(
    413,
    `The export would be larger than ${inMegabytes(maxBytes)}, which is what the disk has room for at present. Choose a packed format, or export fewer data with a program of your own.`,
  )

/**
 * Writes the dump of a database into a new file of ours (0600), packed as asked; what fails is
 * thrown, 413 where the file would be longer than `maxBytes`.
 */
export const writeExport = async (input: {
  engine: Engine
  database: string
  format: DumpFormat
  file: string
  maxBytes: number
  now: Date
  onBytes: (bytes: number) => void
}): Promise<void> => {
  const { engine, database, format, file, onBytes } = input
  await engine.whenReady()
  const fits = boundedBytes(input.maxBytes, () => tooLarge(input.maxBytes))
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  const dump = engine.dump(database)
  const limit = stallLimit(STALL_MS, `The dump of ${database}`)
  const watch = watched(engine.dumpEnd, onBytes)
  if (format === 'sql') return pipeline(dump, limit, watch, fits, out)
  if (format === 'gz') return pipeline(dump, limit, watch, createGzip(), fits, out)
  return pipeline(
    dump,
    limit,
    watch,
    // Not a stream made of it: that one would wait for ever behind what has failed.
    (source: AsyncIterable<Buffer>) => zipOfOne(`${database}.sql`, source, input.now),
    fits,
    out,
  )
}
