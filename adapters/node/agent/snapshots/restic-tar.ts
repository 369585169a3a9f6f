import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { conflict } from '#handlers/errors.ts'
import type { TarEntry } from '../../archives/tar-reader.ts'

/** A member of what `restic dump --archive tar` writes. `name` and `link` are bytes, one to a character. */
export interface ResticMember extends TarEntry {
  uid: number
  gid: number
}

const BLOCK = 512
const MAX_RECORDS_BYTES = 2 ** 20

const broken = (): Error => conflict('restic wrote a tar archive that cannot be read.')

/** Takes bytes of a stream by their number. */
const takerOf = (source: AsyncIterable<Buffer>) => {
  const chunks = source[Symbol.asyncIterator]()
  let have: Buffer = Buffer.alloc(0)
  const more = async (): Promise<boolean> => {
    const { value, done } = await chunks.next()
    if (done === true) return false
    have = have.length === 0 ? value : Buffer.concat([have, value])
    return true
  }
  return {
    /** Exactly so many; null at the end of the stream. */
    async take(bytes: number): Promise<Buffer | null> {
      while (have.length < bytes) if (!(await more())) return null
      const taken = have.subarray(0, bytes)
      have = have.subarray(bytes)
      return taken
    },
    /** At least one, at most so many. */
    async some(bytes: number): Promise<Buffer> {
      if (have.length === 0 && !(await more())) throw broken()
      const taken = have.subarray(0, bytes)
      have = have.subarray(taken.length)
      return taken
    },
  }
}

const textOf = (block: Buffer, from: number, length: number): string =>
  block.toString('latin1', from, from + length).split('\0', 1)[0] ?? ''

const numberOf = (block: Buffer, from: number, length: number): number => {
  // Base 256, as Go writes what octal digits have no room for.
  if ((block[from] ?? 0) & 0x80) {
    let value = (block[from] ?? 0) & 0x7f
    for (let at = from + 1; at < from + length; at += 1) value = value * 256 + (block[at] ?? 0)
    return value
  }
  const text = textOf(block, from, length).trim()
  if (!/^[0-7]*$/.test(text)) throw broken()
  return text === '' ? 0 : Number.parseInt(text, 8)
}

/** `<length> <key>=<value>\n`, where the length counts all of that. */
const recordsOf = (body: Buffer): Map<string, string> => {
  const records = new Map<string, string>()
  for (let at = 0; at < body.length;) {
    const space = body.indexOf(0x20, at)
    const length = space === -1 ? NaN : Number(body.toString('latin1', at, space))
    if (!Number.isInteger(length) || length < 5 || at + length > body.length) throw broken()
    const [key = '', ...value] = body.toString('latin1', space + 1, at + length - 1).split('=')
    records.set(key, value.join('='))
    at += length
  }
  return records
}

const KINDS: Readonly<Record<string, TarEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '2': 'symlink',
  '5': 'directory',
}

/**
 * Goes through what restic writes (ustar headers, extended ones where a name needs them).
 * Unlike the reader of archives it keeps names as bytes also in extended headers, where
 * Go puts those that are not ASCII; and it tells owners. `visit` need not read the content.
 */
export const readResticTar = async (
  source: AsyncIterable<Buffer>,
  visit: (member: ResticMember, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  const { take, some } = takerOf(source)
  let records = new Map<string, string>()
  for (let block = await take(BLOCK); block !== null; block = await take(BLOCK)) {
    if (block.every((byte) => byte === 0)) continue
    const flag = block.toString('latin1', 156, 157)
    const sizeBytes = Number(records.get('size') ?? numberOf(block, 124, 12))
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) throw broken()
    const padding = (BLOCK - (sizeBytes % BLOCK)) % BLOCK
    if (flag === 'x') {
      if (sizeBytes > MAX_RECORDS_BYTES) throw broken()
      const body = await take(sizeBytes + padding)
      if (body === null) throw broken()
      records = recordsOf(body.subarray(0, sizeBytes))
      continue
    }
    const type = KINDS[flag]
    if (type === undefined) throw broken()
    const prefix = textOf(block, 345, 155)
    const name = textOf(block, 0, 100)
    const path = records.get('path') ?? (prefix === '' ? name : `${prefix}/${name}`)
    const member: ResticMember = {
      name: trimEndOf(path.replace(/^\/+/, ''), '/'),
      type,
      mode: numberOf(block, 100, 8) & 0o777,
      mtimeSecs: Math.trunc(Number(records.get('mtime') ?? numberOf(block, 136, 12))) || 0,
      sizeBytes: type === 'file' ? sizeBytes : 0,
      link: type === 'symlink' ? (records.get('linkpath') ?? textOf(block, 157, 100)) : '',
      uid: Number(records.get('uid') ?? numberOf(block, 108, 8)),
      gid: Number(records.get('gid') ?? numberOf(block, 116, 8)),
    }
    records = new Map()
    let left = sizeBytes
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const chunk = await some(left)
        left -= chunk.length
        yield chunk
      }
    }
    await visit(member, content())
    while (left > 0) left -= (await some(left)).length
    if (padding > 0 && (await take(padding)) === null) throw broken()
  }
}
