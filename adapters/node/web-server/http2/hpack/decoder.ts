import { COMPRESSION_ERROR, FrameError } from '../frames/frame-error.ts'
import { decodeHuffman } from './huffman.ts'
import { STATIC_FIELDS } from './tables.ts'
import { isMalformedField } from '../streams/malformed-field.ts'

/** Of the dynamic table, in bytes; what a client may use that was told nothing else (RFC 9113 6.5.2). */
const TABLE_BYTES = 4096
/** What a field costs beside its text (RFC 7541 4.1). */
const FIELD_BYTES = 32
/** Above every length and index that can occur; keeps the arithmetic in 32 bits. */
const MAX_INTEGER = 2 ** 24
/** Octets of an integer after its prefix. */
const MAX_OCTETS = 4

const broken = (what: string): FrameError =>
  new FrameError(COMPRESSION_ERROR, `A header block is broken: ${what}.`)

/**
 * Header blocks of one connection (RFC 7541). A block that is not plainly right
 * throws `FrameError`: what follows it could not be read.
 */
export class HpackDecoder {
  readonly #maxFields: number
  readonly #maxListBytes: number
  #table: { name: string; value: string; isMalformed: boolean }[] = []
  #tableBytes = 0
  #limitBytes = TABLE_BYTES
  /** Another one whenever the dynamic table changed: the same block then may mean something else. */
  version = 0
  /** Whether a field of the block that was decoded last is malformed. */
  isMalformed = false
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(limits: { maxFields: number; maxListBytes: number }) {
    this.#maxFields = limits.maxFields
    this.#maxListBytes = limits.maxListBytes
  }

  /** Names and values in turn, latin1; null when there are more than allowed. */
  decode(block: Buffer): string[] | null {
    this.#bytes = block
    this.#at = 0
    this.isMalformed = false
    const list: string[] = []
    let listBytes = 0
    let begun = false
    while (this.#at < block.length) {
      const first = block[this.#at] as number
      if ((first & 0xe0) === 0x20) {
        if (begun) throw broken('the size of the table changes in its middle')
        this.#resize(this.#integer(31))
        continue
      }
      begun = true
      const [name, value] = this.#field(first)
      listBytes += name.length + value.length + FIELD_BYTES
      // Read on for the table's sake, but keep nothing.
      const fits = listBytes <= this.#maxListBytes && list.length < this.#maxFields * 2
      if (fits) list.push(name, value)
      else listBytes = Number.POSITIVE_INFINITY
    }
    return listBytes === Number.POSITIVE_INFINITY ? null : list
  }

  #field(first: number): readonly [string, string] {
    if ((first & 0x80) !== 0) return this.#entry(this.#integer(127))
    const isKept = (first & 0x40) !== 0
    const index = this.#integer(isKept ? 63 : 15)
    const name = index === 0 ? this.#text() : this.#entry(index)[0]
    const value = this.#text()
    const isMalformed = isMalformedField(name, value)
    if (isMalformed) this.isMalformed = true
    if (isKept) this.#insert(name, value, isMalformed)
    return [name, value]
  }

  #entry(index: number): readonly [string, string] {
    if (index === 0) throw broken('an index is zero')
    const fixed = STATIC_FIELDS[index - 1]
    if (fixed !== undefined) return fixed
    const entry = this.#table[this.#table.length - (index - STATIC_FIELDS.length)]
    if (entry === undefined) throw broken('an index names nothing')
    if (entry.isMalformed) this.isMalformed = true
    return [entry.name, entry.value]
  }

  #insert(name: string, value: string, isMalformed: boolean): void {
    this.version++
    this.#tableBytes += name.length + value.length + FIELD_BYTES
    this.#table.push({ name, value, isMalformed })
    this.#evict()
  }

  #resize(limitBytes: number): void {
    if (limitBytes > TABLE_BYTES) throw broken('the table is larger than allowed')
    this.version++
    this.#limitBytes = limitBytes
    this.#evict()
  }

  #evict(): void {
    let gone = 0
    while (this.#tableBytes > this.#limitBytes) {
      const oldest = this.#table[gone++]
      if (oldest === undefined) break
      this.#tableBytes -= oldest.name.length + oldest.value.length + FIELD_BYTES
    }
    if (gone > 0) this.#table.splice(0, gone)
  }

  /** `mask`: the bits of the first octet that belong to it. */
  #integer(mask: number): number {
    let value = this.#octet() & mask
    if (value < mask) return value
    for (let octets = 0, scale = 1; octets < MAX_OCTETS; octets++, scale *= 128) {
      const octet = this.#octet()
      value += (octet & 127) * scale
      if (value > MAX_INTEGER) break
      if (octet < 128) return value
    }
    throw broken('a number is too large')
  }

  #octet(): number {
    const octet = this.#bytes[this.#at++]
    if (octet === undefined) throw broken('it ends too early')
    return octet
  }

  #text(): string {
    const isCoded = ((this.#bytes[this.#at] ?? 0) & 0x80) !== 0
    const length = this.#integer(127)
    const start = this.#at
    const end = start + length
    if (end > this.#bytes.length) throw broken('it ends too early')
    this.#at = end
    if (!isCoded) return this.#bytes.toString('latin1', start, end)
    const text = decodeHuffman(this.#bytes, start, end)
    if (text === null) throw broken('a text is no Huffman code')
    return text
  }
}
