import { readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { readTar } from '../../../archives/tar-reader.ts'
import type { OtherEntry, TarEntry, TarLimits } from '../../../archives/tar-reader.ts'
import { HelperError } from './helper-error.ts'

/** Headers and padding of an archive, for each entry that it may have. */
const OVERHEAD_BYTES = 2048
const PIECE_BYTES = 256 * 1024
const GZIP_MAGIC = 0x1f8b
/** Of a zip's first entry, or of the end of one without any. */
const ZIP_MAGICS = [0x504b0304, 0x504b0506]

/** 409 for an archive that is not what it must be. */
export const refused = (why: string): HelperError =>
  new HelperError(409, `The archive is refused: ${why}. Nothing was changed.`)

async function* bytesOf(fd: number): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    const piece = Buffer.alloc(PIECE_BYTES)
    const got = readSync(fd, piece, 0, piece.length, at)
    if (got === 0) return
    at += got
    yield piece.subarray(0, got)
  }
}

/** Bytes of a `.tar.gz` or `.tar`; stops at what no archive of its limits can have. */
async function* contentOf(fd: number, gzip: boolean, maxBytes: number): AsyncGenerator<Buffer> {
  const file = Readable.from(bytesOf(fd))
  const source = gzip ? file.pipe(createGunzip()) : file
  file.on('error', (error) => source.destroy(error))
  let bytes = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw refused('it is larger than what it says it holds')
      yield chunk
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw code.startsWith('Z_') ? refused('it is damaged or no gzip file') : error
  } finally {
    file.destroy()
    source.destroy()
  }
}

/** Goes through an archive of the kind that its first bytes say: zip, `.tar.gz` or `.tar`; see `readTar`. */
export const readArchive = async (
  fd: number,
  limits: TarLimits,
  visit: (entry: TarEntry | OtherEntry, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  const head = Buffer.alloc(4)
  readSync(fd, head, 0, head.length, 0)
  if (ZIP_MAGICS.includes(head.readUInt32BE())) {
    // Most helpers never see one.
    const { readZip } = await import('../../../archives/zip-reader.ts')
    return readZip(fd, limits, visit)
  }
  const maxBytes = limits.maxBytes + limits.maxEntries * OVERHEAD_BYTES
  return readTar(contentOf(fd, head.readUInt16BE() === GZIP_MAGIC, maxBytes), limits, visit)
}
