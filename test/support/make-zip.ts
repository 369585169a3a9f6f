import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip archive, which may be a hostile one. */
export interface ZipMember {
  name: string | Buffer
  content?: string | Buffer
  /** With the type of the file, e.g. 0o120777; default: none, as Windows packs. */
  mode?: number
  /** What the headers say instead of the truth. */
  says?: { size?: number; crc?: number; flags?: number; method?: number }
  /** Its content is that of the member of this number, once more. */
  sameAs?: number
}

/** A zip archive with these members, of the kind that the format's first version had. */
export const makeZip = (members: readonly ZipMember[]): Buffer => {
  const parts: Buffer[] = []
  const central: Buffer[] = []
  const offsets: number[] = []
  let at = 0
  for (const { name, content = '', mode, says = {}, sameAs } of members) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const raw = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(says.flags ?? 0, 2)
    fields.writeUInt16LE(says.method ?? 8, 4)
    fields.writeUInt32LE((1 << 16) | (1 << 21), 6)
    fields.writeUInt32LE(says.crc ?? crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(says.size ?? bytes.length, 18)
    fields.writeUInt16LE(raw.length, 22)
    const offset = sameAs === undefined ? at : (offsets[sameAs] ?? 0)
    offsets.push(offset)
    if (sameAs === undefined) {
      const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, raw, packed])
      parts.push(local)
      at += local.length
    }
    const head = Buffer.alloc(14)
    head.writeUInt32LE(mode === undefined ? 0 : (mode << 16) >>> 0, 6)
    head.writeUInt32LE(offset, 10)
    const version = Buffer.from([20, mode === undefined ? 0 : 3])
    const sign = Buffer.from('PK\x01\x02', 'latin1')
    central.push(Buffer.concat([sign, version, fields, head, raw]))
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, directory, end])
}
