import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { conflict } from '#handlers/errors.ts'
import { readTar } from './tar-reader.ts'
import type { OtherEntry, TarEntry, TarLimits } from './tar-reader.ts'

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

/** Goes through a tar.gz file, all of it; see `readTar`. A file that does not decompress is 409. */
export const readArchive = async (
  file: string,
  limits: TarLimits,
  visit: (entry: TarEntry | OtherEntry, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  const source = createReadStream(file)
  const gunzip = createGunzip()
  source.once('error', (error) => gunzip.destroy(error))
  try {
    await readTar(source.pipe(gunzip) as AsyncIterable<Buffer>, limits, visit)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_')) throw conflict('The archive is damaged: it does not decompress.')
    throw error
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}
