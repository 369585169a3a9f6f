/** Registers: a power of two. The standard error is 1.04 / sqrt(4096), 1.6 %. */
const REGISTERS = 4096
const INDEX_BITS = 12
/** So many different hashes are kept as they are, and their count is exact. */
const MAX_FEW = 256
/** Bias of so many registers (Flajolet et al., HyperLogLog, 2007). */
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS)
const MAX_RANK = 32 - INDEX_BITS + 1

/** What `toText` may answer: `f` (few) or `r` (registers), and base64. */
const TEXT = /^(?:f[A-Za-z0-9+/]{0,1368}|r[A-Za-z0-9+/]{5462})={0,2}$/

const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

/**
 * About how many different hashes were added (HyperLogLog), in at most 4 KB and without
 * the hashes: sketches of several workers together say what one would have said.
 */
export class VisitorSketch {
  #few: Set<number> | null = new Set()
  #registers: Uint8Array | null = null

  /** `hash`: 32 evenly spread bits. */
  add(hash: number): void {
    const bits = hash >>> 0
    if (this.#few === null) return this.#note(bits)
    this.#few.add(bits)
    if (this.#few.size > MAX_FEW) this.#toRegisters()
  }

  /** Takes in what another one was added, by its `toText`. A text that is none adds nothing. */
  merge(text: string): void {
    if (!isSketchText(text)) return
    const bytes = fromBase64(text.slice(1))
    if (text.startsWith('f')) {
      const view = new DataView(bytes.buffer)
      for (let at = 0; at + 4 <= bytes.length; at += 4) this.add(view.getUint32(at, true))
      return
    }
    const registers = this.#toRegisters()
    for (const [index, rank] of bytes.entries())
      if (rank <= MAX_RANK && rank > (registers[index] ?? MAX_RANK)) registers[index] = rank
  }

  /** How many there were, rounded. */
  count(): number {
    if (this.#registers === null) return this.#few?.size ?? 0
    let sum = 0
    let zeros = 0
    for (const rank of this.#registers) {
      sum += 2 ** -rank
      if (rank === 0) zeros++
    }
    const estimate = (ALPHA * REGISTERS * REGISTERS) / sum
    // Linear counting, where many registers were never met.
    if (zeros > 0 && estimate <= 2.5 * REGISTERS)
      return Math.round(REGISTERS * Math.log(REGISTERS / zeros))
    return Math.round(estimate)
  }

  /** In a form that passes channels and stores. */
  toText(): string {
    if (this.#registers !== null) return `r${toBase64(this.#registers)}`
    const hashes = [...(this.#few ?? [])]
    const view = new DataView(new ArrayBuffer(hashes.length * 4))
    for (const [index, hash] of hashes.entries()) view.setUint32(index * 4, hash, true)
    return `f${toBase64(new Uint8Array(view.buffer))}`
  }

  #toRegisters(): Uint8Array {
    if (this.#registers !== null) return this.#registers
    const few = this.#few ?? []
    this.#registers = new Uint8Array(REGISTERS)
    this.#few = null
    for (const hash of few) this.#note(hash)
    return this.#registers
  }

  #note(bits: number): void {
    const registers = this.#registers
    if (registers === null) return
    const index = bits >>> (32 - INDEX_BITS)
    const rank = Math.min(MAX_RANK, Math.clz32((bits << INDEX_BITS) >>> 0) + 1)
    if (rank > (registers[index] ?? 0)) registers[index] = rank
  }
}

/** Whether a text is one that `VisitorSketch.toText` may have answered. */
export const isSketchText = (text: string): boolean =>
  TEXT.test(text) && (text.length - 1) % 4 === 0
