import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDeflateRaw, crc32 } from 'node:zlib'

const UTF8_NAME_AND_SIZES_BEHIND = 0x0808
const DEFLATE = 8
/** With 64-bit sizes, which a dump may need and nobody knows before its end. */
const ZIP64 = 45
const UNIX_FILE = (0o100600 << 16) >>> 0
const IN_THE_ZIP64_FIELD = 0xffffffff

const fields = (...parts: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer => {
  const buffer = Buffer.alloc(parts.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of parts) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}

const dosTime = (date: Date): readonly [readonly [2, number], readonly [2, number]] => [
  [2, (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)],
  [2, ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()],
]

/** The bytes of a zip archive (APPNOTE 6.3, zip64) with one file; `name` is plain ASCII. */
export async function* zipOfOne(
  name: string,
  content: AsyncIterable<Buffer>,
  now: Date,
): AsyncGenerator<Buffer> {
  const named = Buffer.from(name, 'latin1')
  const time = dosTime(now)
  const head = Buffer.concat([
    fields([4, 0x04034b50], [2, ZIP64], [2, UTF8_NAME_AND_SIZES_BEHIND], [2, DEFLATE], ...time),
    fields([4, 0], [4, IN_THE_ZIP64_FIELD], [4, IN_THE_ZIP64_FIELD], [2, named.length], [2, 20]),
    named,
    fields([2, 1], [2, 16], [8, 0], [8, 0]),
  ])
  yield head
  let sum = 0
  let size = 0
  let packed = 0
  const deflate = createDeflateRaw()
  const measured = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      sum = crc32(chunk, sum)
      size += chunk.length
      yield chunk
    }
  }
  // Who reads no further, since the disk is full, ends the packing and with it what is packed.
  const feeding = pipeline(Readable.from(content), measured, deflate)
  feeding.catch(() => undefined)
  for await (const chunk of deflate as AsyncIterable<Buffer>) {
    packed += chunk.length
    yield chunk
  }
  await feeding
  yield fields([4, 0x08074b50], [4, sum], [8, packed], [8, size])
  const directoryAt = head.length + packed + 24
  const directory = Buffer.concat([
    fields([4, 0x02014b50], [2, (3 << 8) | ZIP64], [2, ZIP64], [2, UTF8_NAME_AND_SIZES_BEHIND]),
    fields([2, DEFLATE], ...time, [4, sum], [4, IN_THE_ZIP64_FIELD], [4, IN_THE_ZIP64_FIELD]),
    fields([2, named.length], [2, 20], [2, 0], [2, 0], [2, 0], [4, UNIX_FILE], [4, 0]),
    named,
    fields([2, 1], [2, 16], [8, size], [8, packed]),
  ])
  yield directory
  const endAt = directoryAt + directory.length
  yield Buffer.concat([
    fields([4, 0x06064b50], [8, 44], [2, (3 << 8) | ZIP64], [2, ZIP64], [4, 0], [4, 0]),
    fields([8, 1], [8, 1], [8, directory.length], [8, directoryAt]),
    fields([4, 0x07064b50], [4, 0], [8, endAt], [4, 1]),
    fields([4, 0x06054b50], [2, 0], [2, 0], [2, 1], [2, 1], [4, directory.length]),
    fields([4, IN_THE_ZIP64_FIELD], [2, 0]),
  ])
}
