import type { TarEntry } from '../../archives/tar-reader.ts'

const BLOCK = 512
const NAME_BYTES = 100
/** A name by which GNU tar marks a header whose body is the next entry's name. */
const LONG_NAME = '././@LongLink'
/** Size field: eleven octal digits. */
const MAX_OCTAL = 0o77777777777

const TYPE_FLAGS: Readonly<Record<TarEntry['type'], string>> = {
  file: '0',
  symlink: '2',
  directory: '5',
}

const numberField = (value: number): Buffer => {
  const field = Buffer.alloc(12)
  if (value <= MAX_OCTAL) field.write(value.toString(8).padStart(11, '0'), 'latin1')
  else {
    // Base 256, as GNU tar does for files over 8 GiB.
    field[0] = 0x80
    field.writeBigUInt64BE(BigInt(value), 4)
  }
  return field
}

const header = (name: Buffer, flag: string, entry: Omit<TarEntry, 'name' | 'type'>): Buffer => {
  const block = Buffer.alloc(BLOCK)
  name.copy(block, 0, 0, NAME_BYTES)
  block.write((entry.mode & 0o777).toString(8).padStart(7, '0'), 100, 'latin1')
  block.write('0000000', 108, 'latin1')
  block.write('0000000', 116, 'latin1')
  numberField(entry.sizeBytes).copy(block, 124)
  numberField(Math.max(0, entry.mtimeSecs)).copy(block, 136)
  block.write(flag, 156, 'latin1')
  Buffer.from(entry.link, 'latin1').copy(block, 157, 0, NAME_BYTES)
  block.write('ustar  \0', 257, 'latin1')
  // The sum is taken with spaces in its own place.
  block.write('        ', 148, 'latin1')
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}

const padding = (sizeBytes: number): Buffer => Buffer.alloc((BLOCK - (sizeBytes % BLOCK)) % BLOCK)

const longField = (value: string, flag: 'L' | 'K'): Buffer => {
  const body = Buffer.from(`${value}\0`, 'latin1')
  const facts = { mode: 0, mtimeSecs: 0, sizeBytes: body.length, link: '' }
  return Buffer.concat([header(Buffer.from(LONG_NAME), flag, facts), body, padding(body.length)])
}

/**
 * The bytes before an entry's content, in GNU format: names are bytes there, which
 * no encoding spoils (tar-stream writes them as UTF-8, which makes another name of
 * the byte E9). Owner is 0:0 always; who extracts is the owner.
 */
export const tarHeader = (entry: TarEntry): Buffer => {
  const name = entry.type === 'directory' ? `${entry.name}/` : entry.name
  const parts: Buffer[] = []
  if (entry.link.length > NAME_BYTES) parts.push(longField(entry.link, 'K'))
  if (name.length > NAME_BYTES) parts.push(longField(name, 'L'))
  parts.push(header(Buffer.from(name, 'latin1'), TYPE_FLAGS[entry.type], entry))
  return Buffer.concat(parts)
}

/** The bytes after an entry's content. */
export const tarPadding = (entry: TarEntry): Buffer => padding(entry.sizeBytes)

/** The end of an archive. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK)
