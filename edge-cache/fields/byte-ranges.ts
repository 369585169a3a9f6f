/** Bytes of a representation, both ends included. */
export interface BytePart {
  start: number
  end: number
}

/** Ranges of one request; more make no sense for anybody (RFC 9110, 14.2). */
const MAX_RANGES = 32

const ZERO = 0x30
const NINE = 0x39
const COMMA = 0x2c
const DASH = 0x2d
const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

/** Reads `first-last`, `first-` and `-length` one after the other, each character once. */
class RangeText {
  readonly #text: string
  at: number

  constructor(text: string, at: number) {
    this.#text = text
    this.at = at
  }

  get isOver(): boolean {
    return this.at >= this.#text.length
  }

  /** Whether the character is there; steps over it. */
  take(code: number): boolean {
    if (this.#text.charCodeAt(this.at) !== code) return false
    this.at++
    return true
  }

  skipBlanks(): void {
    while (isBlank(this.#text.charCodeAt(this.at))) this.at++
  }

  /** A number, at most the largest that counts; null where there is none. */
  number(): number | null {
    const from = this.at
    let value = 0
    for (; ; this.at++) {
      const code = this.#text.charCodeAt(this.at)
      if (!(code >= ZERO && code <= NINE)) break
      value = Math.min(value * 10 + code - ZERO, Number.MAX_SAFE_INTEGER)
    }
    return this.at === from ? null : value
  }
}

/** One range as it is written; null: it is none, or ends before it begins. */
const readSpec = (text: RangeText, sizeBytes: number): BytePart | 'none' | null => {
  const first = text.number()
  if (!text.take(DASH)) return null
  const last = text.number()
  if (first === null) {
    if (last === null) return null
    const length = Math.min(last, sizeBytes)
    return length === 0 ? 'none' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  if (last !== null && last < first) return null
  if (first >= sizeBytes) return 'none'
  return { start: first, end: Math.min(last ?? Number.MAX_SAFE_INTEGER, sizeBytes - 1) }
}

/**
 * The satisfiable ranges of a `Range` field, in their order (RFC 9110, 14.1.2); `none`:
 * nothing of them exists (416); null: answer the whole, because the field is none, or
 * asks for very many parts or for more bytes than there are.
 */
export const readRanges = (field: string, sizeBytes: number): BytePart[] | 'none' | null => {
  if (field.slice(0, 6).toLowerCase() !== 'bytes=') return null
  const text = new RangeText(field, 6)
  const parts: BytePart[] = []
  let count = 0
  let totalBytes = 0
  for (;;) {
    text.skipBlanks()
    if (text.isOver) break
    if (text.take(COMMA)) continue
    const part = readSpec(text, sizeBytes)
    text.skipBlanks()
    if (part === null || ++count > MAX_RANGES) return null
    if (part !== 'none') {
      parts.push(part)
      totalBytes += part.end - part.start + 1
    }
    if (!text.isOver && !text.take(COMMA)) return null
  }
  if (count === 0 || (parts.length > 1 && totalBytes > sizeBytes)) return null
  return parts.length === 0 ? 'none' : parts
}
