import { constants } from 'node:fs'
import { crc32 } from 'node:zlib'
import { fromFdPromise, getFileNameLowLevel } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { AppError } from '#handlers/errors.ts'
import { broken, bytesOf, tooLarge, tooMany } from './tar-reader.ts'
import type { OtherEntry, TarEntry, TarLimits } from './tar-reader.ts'

/** Of the upper byte of `version made by`: the mode of a file stands in its attributes. */
const UNIX = 3
const MAX_LINK_BYTES = 4096

/** What the library says of malformed bytes is for programmers; ours passes. */
const told = (error: unknown): unknown => {
  if (error instanceof AppError) return error
  if (error instanceof Error && 'syscall' in error) return error
  const text = String(error)
  return broken(/encrypted|password/i.test(text) ? 'it is encrypted' : 'it is damaged or no zip')
}

/** Names are UTF-8 by their flag, and often without it; else they are of the first IBM PC's code page. */
const nameOf = (entry: Entry): string => {
  const raw = entry.fileNameRaw
  const text = raw.toString('utf8')
  const name = Buffer.from(text, 'utf8').equals(raw)
    ? text
    : getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, false)
  return trimEndOf(name.replaceAll('\\', '/').replace(/^(?:\.\/)+/, ''), '/')
}

/** The bytes of an entry, checked against its sum; not more than it announces. */
async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const stream = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
    throw told(error)
  })
  let sum = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw told(error)
  } finally {
    stream.destroy()
  }
  if (sum !== entry.crc32) throw broken('a checksum in it is wrong')
}

const linkOf = async (zip: ZipFile, entry: Entry): Promise<string> => {
  if (entry.uncompressedSize > MAX_LINK_BYTES) throw broken('a link in it is too long')
  const parts: Buffer[] = []
  for await (const chunk of contentOf(zip, entry)) parts.push(chunk)
  return Buffer.concat(parts).toString('latin1')
}

const entryOf = async (zip: ZipFile, entry: Entry): Promise<TarEntry | OtherEntry> => {
  const name = bytesOf(nameOf(entry))
  const unix = entry.versionMadeBy >>> 8 === UNIX
  const mode = unix ? entry.externalFileAttributes >>> 16 : 0
  const kind = mode & constants.S_IFMT
  const mtimeSecs = Math.trunc(entry.getLastModDate().getTime() / 1000)
  const facts = {
    name,
    mode: (mode & 0o777) === 0 ? 0o644 : mode & 0o777,
    mtimeSecs: Number.isNaN(mtimeSecs) ? 0 : mtimeSecs,
    sizeBytes: 0,
    link: '',
  }
  const isDirectory = /[/\\]$/.test(entry.fileNameRaw.toString('latin1'))
  if (isDirectory || kind === constants.S_IFDIR) {
    if (entry.uncompressedSize > 0) throw broken('a directory has content')
    return { ...facts, type: 'directory' }
  }
  if (entry.isEncrypted()) throw broken('it is encrypted')
  if (!entry.canDecodeFileData()) throw broken('it is packed in a way that is not understood')
  if (kind === constants.S_IFLNK)
    return { ...facts, type: 'symlink', link: await linkOf(zip, entry) }
  if (kind !== 0 && kind !== constants.S_IFREG) return { name, type: 'other' }
  return { ...facts, type: 'file', sizeBytes: entry.uncompressedSize }
}

const empty = async function* (): AsyncGenerator<Buffer> {}

/**
 * Goes through a zip archive (zip64 too) in the order of its directory, as
 * `readTar` does through a tar: what is announced is counted against `limits` (413)
 * before it is unpacked, and no entry has more bytes than it announces, so parts that
 * overlap each other count each time. What is malformed, encrypted or packed
 * otherwise than by deflate is 409. `fd` stays open.
 */
export const readZip = async (
  fd: number,
  limits: TarLimits,
  visit: (entry: TarEntry | OtherEntry, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  const options = { autoClose: false, lazyEntries: true, decodeStrings: false }
  const zip = await fromFdPromise(fd, options).catch((error: unknown) => {
    throw told(error)
  })
  let count = 0
  let bytes = 0
  const entries = zip.eachEntry()
  for (;;) {
    const step = await entries.next().catch((error: unknown) => {
      throw told(error)
    })
    if (step.done === true) return
    count += 1
    if (count > limits.maxEntries) throw tooMany(limits)
    bytes += step.value.uncompressedSize
    if (bytes > limits.maxBytes) throw tooLarge(limits)
    const entry = await entryOf(zip, step.value)
    await visit(entry, entry.type === 'file' ? contentOf(zip, step.value) : empty())
  }
}
