import { HpackDecoder } from './decoder.ts'

/**
 * Decodes header blocks and remembers the last one: a client that repeats a request
 * repeats its bytes, and they mean the same as long as the table did not change.
 */
export class BlockMemory {
  readonly #decoder: HpackDecoder
  #block: Buffer = Buffer.alloc(0)
  #version = -1
  #fields: string[] | null = null
  #isMalformed = false

  constructor(limits: { maxFields: number; maxListBytes: number }) {
    this.#decoder = new HpackDecoder(limits)
  }

  /** Whether a field of the block that was decoded last is malformed. */
  get isMalformed(): boolean {
    return this.#isMalformed
  }

  /** See `HpackDecoder.decode`. The same list comes as the same array. */
  decode(block: Buffer): string[] | null {
    const decoder = this.#decoder
    if (decoder.version === this.#version && block.equals(this.#block)) return this.#fields
    const before = decoder.version
    const fields = decoder.decode(block)
    // One that changes the table will mean something else the next time.
    this.#version = decoder.version === before ? before : -1
    this.#block = Buffer.from(block)
    this.#fields = fields
    this.#isMalformed = decoder.isMalformed
    return fields
  }
}
