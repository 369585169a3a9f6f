import { pipeline, Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { conflict } from '#handlers/errors.ts'

const damaged = (): Error =>
  conflict('The archive is damaged: a part of it is no zstd, or breaks off.')

const FRAME = 0xfd2fb528
/** The low four bits of a skippable frame's number are free. */
const SKIPPABLE = 0x184d2a50

/** Reads a stream by counts of bytes. */
const createByteReader = (source: AsyncIterable<Buffer>) => {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const fill = async (): Promise<boolean> => {
    const { done, value } = await chunks.next()
    if (done === true) return false
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return true
  }
  return {
    /** Whether the stream has ended. */
    async isOver(): Promise<boolean> {
      while (rest.length === 0) if (!(await fill())) return true
      return false
    },
    /** The next `count` bytes, a few. */
    async take(count: number): Promise<Buffer> {
      while (rest.length < count) if (!(await fill())) throw damaged()
      const taken = rest.subarray(0, count)
      rest = rest.subarray(count)
      return taken
    },
    /** The next `count` bytes, any number, in pieces. */
    async *pass(count: number): AsyncGenerator<Buffer> {
      let left = count
      while (left > 0) {
        if (rest.length === 0 && !(await fill())) throw damaged()
        const piece = rest.subarray(0, left)
        rest = rest.subarray(piece.length)
        left -= piece.length
        if (piece.length > 0) yield piece
      }
    },
  }
}

type ByteReader = ReturnType<typeof createByteReader>

/** One frame, as it stands in the stream. */
async function* frameOf(bytes: ByteReader, magic: Buffer): AsyncGenerator<Buffer> {
  const descriptor = await bytes.take(1)
  const flags = descriptor[0] ?? 0
  const isSingleSegment = (flags & 0x20) !== 0
  const idBytes = [0, 1, 2, 4][flags & 3] ?? 0
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0
  yield Buffer.concat([magic, descriptor])
  yield* bytes.pass((isSingleSegment ? 0 : 1) + idBytes + sizeBytes)
  for (let isLast = false; !isLast;) {
    const head = await bytes.take(3)
    const word = head.readUIntLE(0, 3)
    isLast = (word & 1) === 1
    // A run of one byte has its length as size, and that byte as content.
    const isRun = ((word >> 1) & 3) === 1
    yield head
    yield* bytes.pass(isRun ? 1 : word >> 3)
  }
  if ((flags & 4) !== 0) yield* bytes.pass(4)
}

const GATHERED_BYTES = 64 * 1024

/** The same bytes in pieces that are worth a call: a frame may be of empty blocks alone. */
async function* gathered(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of source) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes < GATHERED_BYTES) continue
    yield Buffer.concat(pieces)
    pieces = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(pieces)
}

/**
 * The content of all frames of a zstd stream (RFC 8878, 3.1), as parallel compressors
 * write them. The runtime's decompressor stops behind the first frame without a word.
 * 409 for what is no zstd.
 */
export async function* zstdFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const bytes = createByteReader(source)
  while (!(await bytes.isOver())) {
    const magic = await bytes.take(4)
    const number = magic.readUInt32LE()
    if (number >= SKIPPABLE && number <= SKIPPABLE + 15) {
      const size = (await bytes.take(4)).readUInt32LE()
      for await (const piece of bytes.pass(size)) void piece
      continue
    }
    if (number !== FRAME) throw damaged()
    const through = createZstdDecompress()
    // Either end that breaks ends the other; who reads hears of it.
    pipeline(Readable.from(gathered(frameOf(bytes, magic))), through, () => undefined)
    yield* through as AsyncIterable<Buffer>
  }
}
