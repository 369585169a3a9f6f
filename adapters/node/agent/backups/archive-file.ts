import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { conflict } from '#handlers/errors.ts'
import { readTar } from '../../archives/tar-reader.ts'
import type { OtherEntry, TarEntry, TarLimits } from '../../archives/tar-reader.ts'

/** Passes bytes on and counts them. */
export const createMeter = () => {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      sizeBytes += chunk.length
      done(null, chunk)
    },
  })
  return { stream, result: () => ({ sizeBytes, sha256: hash.digest('hex') }) }
}

/** Size and SHA-256 of a file, read through. */
export const measureFile = async (file: string): Promise<{ sizeBytes: number; sha256: string }> => {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

async function* tapped(
  source: AsyncIterable<Buffer>,
  tap: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    tap(chunk)
    yield chunk
  }
}

/**
 * Goes through a tar.gz file, all of it; see `readTar`. A file that does not decompress
 * is 409. `tap` hears of every byte of the tar.
 */
export const readArchive = async (
  file: string,
  limits: TarLimits,
  visit: (entry: TarEntry | OtherEntry, content: AsyncIterable<Buffer>) => Promise<void>,
  tap: (chunk: Buffer) => void = () => undefined,
): Promise<void> => {
  const source = createReadStream(file)
  const gunzip = createGunzip()
  source.once('error', (error) => gunzip.destroy(error))
  try {
    await readTar(tapped(source.pipe(gunzip) as AsyncIterable<Buffer>, tap), limits, visit)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_')) throw conflict('The archive is damaged: it does not decompress.')
    throw error
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}
