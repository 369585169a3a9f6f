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
/** A path of 4096 bytes, and some. */
const MAX_META_BYTES = 16 * 1024

const broken = (why: string): AppError => conflict(`The archive is not valid: ${why}.`)

/** Takes exact numbers of bytes from chunks of any size. */
const byteReader = (source: AsyncIterable<Buffer>) => {
  const chunks = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const { done, value } = await chunks.next()
    if (done === true) return false
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return true
  }
  return {
    /** Null at the end; never for more than a few kilobytes. */
    async take(bytes: number): Promise<Buffer | null> {
      while (rest.length < bytes) if (!(await more())) return null
      const taken = rest.subarray(0, bytes)
      rest = rest.subarray(bytes)
      return taken
    },
    async *stream(bytes: number): AsyncGenerator<Buffer> {
      for (let left = bytes; left > 0;) {
        if (rest.length === 0 && !(await more())) throw broken('it ends in the middle of a file')
        const piece = rest.subarray(0, Math.min(left, rest.length))
        rest = rest.subarray(piece.length)
        left -= piece.length
        if (piece.length > 0) yield piece
      }
    },
    async drain(): Promise<void> {
      rest = Buffer.alloc(0)
      while (await more()) rest = Buffer.alloc(0)
    },
  }
}

const field = (block: Buffer, from: number, length: number): string => {
  const text = block.toString('latin1', from, from + length)
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}

const numberOf = (block: Buffer, from: number, length: number): number => {
  if (((block[from] ?? 0) & 0x80) !== 0) {
    const value = block.readBigUInt64BE(from + length - 8)
    if (block[from] !== 0x80 || value > BigInt(Number.MAX_SAFE_INTEGER))
      throw broken('a number is too large')
    return Number(value)
  }
  const text = field(block, from, length).trim()
  if (!/^[0-7]*$/.test(text)) throw broken('a number is malformed')
  return text === '' ? 0 : parseInt(text, 8)
}

const checkSum = (block: Buffer): void => {
  let sum = 0
  for (let at = 0; at < BLOCK; at += 1) sum += at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0)
  if (sum !== numberOf(block, 148, 8)) throw broken('a header has a wrong checksum')
}

/** `path` and `linkpath` of an extended header; a size there could hide content, and no home needs it. */
const paxFields = (body: Buffer): { path?: string; linkpath?: string } => {
  const found: { path?: string; linkpath?: string } = {}
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at)
    const length = Number(body.toString('latin1', at, space))
    if (space === -1 || !Number.isSafeInteger(length) || length < 5 || at + length > body.length)
      throw broken('an extended header is malformed')
    const [key = '', ...value] = body.toString('latin1', space + 1, at + length - 1).split('=')
    if (key === 'path' || key === 'linkpath') found[key] = value.join('=')
    else if (key === 'size' || key.startsWith('GNU.sparse'))
      throw broken('it uses an extension that is not understood')
    at += length
  }
  return found
}

const plainName = (name: string): string => name.replace(/^(\.\/+)+/, '').replace(/\/+$/, '')

const KINDS: Readonly<Record<string, TarEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '2': 'symlink',
  '5': 'directory',
}

/**
 * Goes through a tar archive (ustar, GNU or pax names). `visit` gets each member
 * with its content, of which it need not read all. Nothing is taken on trust:
 * lengths, numbers, the count and the announced sizes are bounded (413) before
 * memory is taken for them; what is malformed or breaks off is 409.
 */
export const readTar = async (
  source: AsyncIterable<Buffer>,
  limits: TarLimits,
  visit: (entry: TarEntry | OtherEntry, content: AsyncGenerator<Buffer>) => Promise<void>,
): Promise<void> => {
  const bytes = byteReader(source)
  let entries = 0
  let total = 0
  let long: { path?: string; linkpath?: string } = {}
  for (;;) {
    const block = await bytes.take(BLOCK)
    if (block === null) throw broken('it has no end')
    if (block.every((byte) => byte === 0)) {
      await bytes.drain()
      return
    }
    checkSum(block)
    const flag = String.fromCharCode(block[156] ?? 0)
    const sizeBytes = numberOf(block, 124, 12)
    const padding = (BLOCK - (sizeBytes % BLOCK)) % BLOCK
    if ((entries += 1) > limits.maxEntries)
      throw new AppError(413, `The archive holds more than ${limits.maxEntries} entries.`)
    if ('LKxg'.includes(flag)) {
      if (sizeBytes > MAX_META_BYTES) throw broken('a name is too long')
      const body = await bytes.take(sizeBytes + padding)
      if (body === null) throw broken('it ends in the middle of a name')
      const value = body.subarray(0, sizeBytes)
      if (flag === 'L') long.path = field(value, 0, sizeBytes)
      else if (flag === 'K') long.linkpath = field(value, 0, sizeBytes)
      else if (flag === 'x') long = { ...long, ...paxFields(value) }
      continue
    }
    const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? field(block, 345, 155) : ''
    const short = field(block, 0, 100)
    const name = plainName(long.path ?? (prefix === '' ? short : `${prefix}/${short}`))
    const link = long.linkpath ?? field(block, 157, 100)
    long = {}
    const type = KINDS[flag]
    if (type !== 'file' && sizeBytes > 0 && type !== undefined)
      throw broken('a directory or link has content')
    total += sizeBytes
    if (total > limits.maxBytes)
      throw new AppError(
        413,
        `The archive's content is larger than the ${limits.maxBytes} bytes that it may have here.`,
      )
    const content = bytes.stream(sizeBytes)
    await visit(
      type === undefined
        ? { name, type: 'other' }
        : {
            name,
            type,
            mode: numberOf(block, 100, 8) & 0o777,
            mtimeSecs: numberOf(block, 136, 12),
            sizeBytes,
            link: type === 'symlink' ? link : '',
          },
      content,
    )
    for await (const rest of content) void rest
    if ((await bytes.take(padding)) === null) throw broken('it ends in the middle of a file')
  }
}
