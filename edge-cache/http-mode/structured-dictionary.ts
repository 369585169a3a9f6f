/** A value of a Structured Field (RFC 9651, 3.3), as far as caches need it; `text` as written, of strings what they say. */
export interface BareItem {
  kind: 'integer' | 'decimal' | 'string' | 'token' | 'bytes' | 'boolean' | 'date'
  text: string
}

const KEY_START = /[a-z*]/
const KEY = /[a-z0-9_\-.*]/
const TOKEN_START = /[A-Za-z*]/
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z:/]/
const BASE64 = /[A-Za-z0-9+/=]/
/** Integer or decimal, of at most fifteen digits or twelve before the point. */
const INTEGER = /^-?\d{1,15}$/
const DECIMAL = /^-?\d{1,12}\.\d{1,3}$/

class SyntaxFault extends Error {}

class DictionaryReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Throws `SyntaxFault`. */
  read(): Map<string, BareItem | 'list'> {
    const members = new Map<string, BareItem | 'list'>()
    this.#skip(' ')
    while (this.#at < this.#text.length) {
      const key = this.#key()
      let value: BareItem | 'list' = { kind: 'boolean', text: '1' }
      if (this.#take('=')) value = this.#peek() === '(' ? this.#innerList() : this.#bareItem()
      this.#parameters()
      members.delete(key)
      members.set(key, value)
      this.#skip(' \t')
      if (this.#at === this.#text.length) return members
      this.#expect(',')
      this.#skip(' \t')
      if (this.#at === this.#text.length) throw new SyntaxFault()
    }
    return members
  }

  #peek(): string {
    return this.#text[this.#at] ?? ''
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at++
    return true
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw new SyntaxFault()
  }

  #skip(blanks: string): void {
    while (this.#at < this.#text.length && blanks.includes(this.#peek())) this.#at++
  }

  #while(pattern: RegExp): string {
    const start = this.#at
    while (this.#at < this.#text.length && pattern.test(this.#peek())) this.#at++
    return this.#text.slice(start, this.#at)
  }

  #key(): string {
    if (!KEY_START.test(this.#peek())) throw new SyntaxFault()
    return this.#while(KEY)
  }

  #parameters(): void {
    while (this.#take(';')) {
      this.#skip(' ')
      this.#key()
      if (this.#take('=')) this.#bareItem()
    }
  }

  #innerList(): 'list' {
    this.#expect('(')
    for (;;) {
      this.#skip(' ')
      if (this.#take(')')) return 'list'
      this.#bareItem()
      this.#parameters()
      if (this.#peek() !== ' ' && this.#peek() !== ')') throw new SyntaxFault()
    }
  }

  #bareItem(): BareItem {
    const first = this.#peek()
    if (first === '"') return { kind: 'string', text: this.#string() }
    if (first === ':') return { kind: 'bytes', text: this.#bytes() }
    if (first === '?') return { kind: 'boolean', text: this.#boolean() }
    if (first === '@') {
      this.#at++
      return { kind: 'date', text: this.#number('integer').text }
    }
    if (TOKEN_START.test(first)) return { kind: 'token', text: this.#while(TOKEN) }
    return this.#number()
  }

  #number(only?: 'integer'): BareItem {
    const text = this.#while(/[-\d.]/)
    if (INTEGER.test(text)) return { kind: 'integer', text }
    if (only === undefined && DECIMAL.test(text)) return { kind: 'decimal', text }
    throw new SyntaxFault()
  }

  #boolean(): string {
    this.#at++
    const text = this.#while(/[01]/)
    if (text.length !== 1) throw new SyntaxFault()
    return text
  }

  #bytes(): string {
    this.#at++
    const text = this.#while(BASE64)
    this.#expect(':')
    return text
  }

  #string(): string {
    this.#at++
    let value = ''
    for (;;) {
      const character = this.#peek()
      this.#at++
      if (character === '"') return value
      if (character === '\\') {
        const next = this.#peek()
        if (next !== '"' && next !== '\\') throw new SyntaxFault()
        value += next
        this.#at++
      } else if (character >= ' ' && character <= '~') value += character
      else throw new SyntaxFault()
    }
  }
}

/**
 * Members of a Structured Field of type Dictionary (RFC 9651, 4.2.2), read in one
 * pass; of a repeated key the last value counts. Null: it is none.
 */
export const structuredDictionary = (field: string): Map<string, BareItem | 'list'> | null => {
  try {
    return new DictionaryReader(field).read()
  } catch (error) {
    if (error instanceof SyntaxFault) return null
    throw error
  }
}
