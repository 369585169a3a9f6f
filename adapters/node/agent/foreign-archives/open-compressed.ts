import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Compression } from '#handlers/domain/foreign-archives/foreign-account.ts'
import { conflict } from '#handlers/errors.ts'
import { zstdFrames } from './zstd-frames.ts'

/** 409 for bytes that their compression does not explain; other faults pass. */
async function* told(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_') || code.startsWith('ZSTD_'))
      throw conflict('The archive is damaged: a part of it does not decompress.')
    throw error
  }
}

/** The content of a compressed stream, of any number of frames; 409 for what is damaged. */
export const decompressed = (source: Readable, compression: Compression): AsyncIterable<Buffer> => {
  if (compression === 'none') return source as AsyncIterable<Buffer>
  if (compression === 'zstd') return told(zstdFrames(source as AsyncIterable<Buffer>))
  const gunzip = createGunzip()
  // Either end that breaks ends the other; who reads hears of it.
  pipeline(source, gunzip, () => undefined)
  return told(gunzip as AsyncIterable<Buffer>)
}

const GZIP = Buffer.from([0x1f, 0x8b])
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** How a file is compressed, by its first bytes, whatever its name is. */
export const compressionOfFile = async (file: string): Promise<Compression> => {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    if (buffer.subarray(0, 2).equals(GZIP)) return 'gzip'
    return buffer.equals(ZSTD) ? 'zstd' : 'none'
  } finally {
    await handle.close()
  }
}

/** The tar archive in a file, however it is compressed. */
export const openCompressed = async (file: string): Promise<AsyncIterable<Buffer>> =>
  decompressed(createReadStream(file), await compressionOfFile(file))
