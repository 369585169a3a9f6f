import { extract } from 'tar-stream'
import type { Extract, Header } from 'tar-stream'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { AppError, conflict } from '#handlers/errors.ts'

/** A member of an archive. `name` and `link` are bytes, one to a character (latin1). */
export interface TarEntry {
  /** Without leading `./` and trailing slash. */
  name: string
  type: 'file' | 'directory' | 'symlink'
  mode: number
  mtimeSecs: number
  /** Of the content; 0 unless it is a file. */
  sizeBytes: number
  /** Target of a symbolic link, else ''. */
  link: string
}

/** What an archive may hold altogether; both count what headers announce, before any content comes. */
export interface TarLimits {
  maxEntries: number
  maxBytes: number
}

/** A kind of member that no home needs: hard link, device, FIFO. */
export interface OtherEntry {
  name: string
  type: 'other'
}

const BLOCK = 512
/** Headers and padding of one member with the longest name and link target that there are. */
const OVERHEAD_BYTES = 12 * 1024
/** An empty archive in GNU tar's record of twenty blocks, and some. */
const BASE_BYTES = 2 ** 20

/** 409 for an archive that is malformed. */
export const broken = (why: string): AppError => conflict(`The archive is not valid: ${why}.`)

const REASONS: readonly [RegExp, string][] = [
  [/max size/, 'a name is too long'],
  [/end of data/, 'it ends in the middle of a file'],
]

/** What the library says of malformed bytes, in our words. */
const told = (error: unknown): AppError => {
  const text = String(error)
  return broken(REASONS.find(([sign]) => sign.test(text))?.[1] ?? 'a header is malformed')
}

/** Bytes of an archive that ends as archives do, and is not longer than its limits allow: headers alone fill a disk's worth of time. */
async function* whole(source: AsyncIterable<Buffer>, limits: TarLimits): AsyncGenerator<Buffer> {
  const maxBytes = limits.maxBytes + limits.maxEntries * OVERHEAD_BYTES + BASE_BYTES
  let bytes = 0
  let zeros = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(limits)
    let at = chunk.length
    while (at > 0 && chunk.length - at < BLOCK && chunk[at - 1] === 0) at -= 1
    zeros = at === 0 ? zeros + chunk.length : chunk.length - at
    yield chunk
  }
  if (zeros < BLOCK) throw broken('it has no end')
}

/** 413 for content that is announced, or comes, beyond the limit. */
export const tooLarge = ({ maxBytes }: TarLimits): AppError =>
  new AppError(
    413,
    `The archive's content is larger than the ${maxBytes} bytes that it may have here.`,
  )

/** 413 for a member beyond the limit. */
export const tooMany = ({ maxEntries }: TarLimits): AppError =>
  new AppError(413, `The archive holds more than ${maxEntries} entries.`)

const plainName = (name: string): string => trimEndOf(name.replace(/^(\.\/+)+/, ''), '/')

/** The bytes of a text that was read as UTF-8, one to a character (latin1). */
export const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Such a name as people read it. */
export const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')

const KINDS: Readonly<Record<string, TarEntry['type']>> = {
  file: 'file',
  'contiguous-file': 'file',
  symlink: 'symlink',
  directory: 'directory',
}

const entryOf = (header: Header): TarEntry | OtherEntry => {
  const pax = new Map(Object.entries((header.pax ?? {}) as Record<string, unknown>))
  if ([...pax.keys()].some((key) => key.startsWith('GNU.sparse')))
    throw broken('it uses an extension that is not understood')
  // The library gives a link without a target as null.
  const { name, linkname } = header as { name: string; linkname: string | null }
  // Extended headers are UTF-8; everything else was read as latin1.
  const plain = plainName(pax.get('path') === name ? bytesOf(name) : name)
  const type = KINDS[header.type]
  if (type === undefined) return { name: plain, type: 'other' }
  if (type !== 'file' && header.size > 0) throw broken('a directory or link has content')
  const link = linkname ?? ''
  const mtimeSecs = Math.trunc(header.mtime.getTime() / 1000)
  return {
    name: plain,
    type,
    mode: header.mode & 0o777,
    // Numbers that no date has.
    mtimeSecs: Number.isNaN(mtimeSecs) ? 0 : mtimeSecs,
    sizeBytes: header.size,
    link: type !== 'symlink' ? '' : pax.get('linkpath') === link ? bytesOf(link) : link,
  }
}

/** Writes all of `bytes` to `tar`, at its pace. */
const feed = async (tar: Extract, bytes: AsyncIterable<Buffer>): Promise<void> => {
  let wake = (): void => undefined
  tar.on('drain', () => wake())
  tar.on('close', () => wake())
  for await (const chunk of bytes) {
    if (tar.destroyed) return
    const ready = new Promise<void>((resolve) => (wake = resolve))
    if (!tar.write(chunk)) await ready
  }
  tar.end(null)
}

/** The content of a member. One whose archive broke off before anybody asked for it would never end. */
async function* contentOf(member: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  if ('destroying' in member && member.destroying === true) throw broken('it is cut off')
  yield* member as AsyncIterable<Buffer>
}

/**
 * Goes through a tar archive (ustar, GNU or pax names). `visit` gets each member
 * with its content, all of which it reads, or nothing. Nothing is taken on trust:
 * the count, the announced sizes and the bytes altogether are bounded (413) before
 * memory is taken for them; what is malformed or breaks off is 409.
 */
export const readTar = async (
  source: AsyncIterable<Buffer>,
  limits: TarLimits,
  visit: (entry: TarEntry | OtherEntry, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  // Apart, because the type of the options does not know the encoding.
  const options = { filenameEncoding: 'latin1', highWaterMark: 64 * 1024 }
  const tar = extract(options)
  /** The first thing that went wrong and is not the library's word on the archive. */
  let fault: { error: unknown } | null = null
  const fed = feed(tar, whole(source, limits)).catch((error: unknown) => {
    fault ??= { error }
    // With an error: else who asks for the next member after it waits for ever.
    tar.destroy(error instanceof Error ? error : new Error(String(error)))
  })
  let entries = 0
  let total = 0
  try {
    for await (const member of tar) {
      const { header } = member
      try {
        if ((entries += 1) > limits.maxEntries) throw tooMany(limits)
        total += header.size
        if (total > limits.maxBytes) throw tooLarge(limits)
        await visit(entryOf(header), contentOf(member))
      } catch (error) {
        fault ??= { error }
        throw error
      }
      member.resume()
    }
  } catch (error) {
    fault ??= { error: told(error) }
  }
  if (fault !== null) throw (fault as { error: unknown }).error
  await fed
  if (fault !== null) throw (fault as { error: unknown }).error
}
