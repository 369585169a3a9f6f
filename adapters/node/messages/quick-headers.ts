import { boundedMemo, trimOf } from '#edge-cache/index.ts'

/** A field: its name in lower case, and its value, one character per byte. */
export type Field = readonly [name: string, value: string]

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const NO_VALUE = /[\0\r\n]|[^\0-\xff]/
const BLANKS = '\t\r\n '

/** Those who ask for fields name few, again and again. */
const NAMES = { maxTexts: 500, maxLength: 64 }

/** A name in lower case, whatever it holds. */
const lower = boundedMemo((name) => name.toLowerCase(), NAMES)

/** The same of a name that a field may have; throws a `TypeError` for others. */
const nameOf = boundedMemo((name) => {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no field name.`)
  return name.toLowerCase()
}, NAMES)

const valueOf = (text: string): string => {
  const value = trimOf(String(text), BLANKS)
  if (NO_VALUE.test(value)) throw new TypeError('A field value holds what no field may hold.')
  return value
}

const byName = ([left]: Field, [right]: Field): number => (left < right ? -1 : left > right ? 1 : 0)

/** Lists that serve many, by name: sorted once for all. */
const inOrder = new WeakMap<readonly Field[], readonly Field[]>()

/**
 * `Headers` as the Fetch standard has them, over a list: made, read and changed at
 * a tenth of the cost of the runtime's own, which is most of what a request costs.
 */
export class QuickHeaders implements Headers {
  #fields: Field[]
  #isShared: boolean
  /** The fields by name, once somebody went through them; looking changes nothing of the list itself. */
  #inOrder: readonly Field[] | null = null

  /**
   * `fields` are judged already, in the form of `Field`, without two of the same name
   * but `set-cookie`. The list is not changed: it may serve many.
   */
  constructor(fields: readonly Field[] = []) {
    this.#fields = fields as Field[]
    this.#isShared = true
  }

  get(name: string): string | null {
    const wanted = lower(name)
    let found: string | null = null
    for (const field of this.#fields) {
      if (field[0] !== wanted) continue
      if (wanted !== 'set-cookie') return field[1]
      found = found === null ? field[1] : `${found}, ${field[1]}`
    }
    return found
  }

  has(name: string): boolean {
    const wanted = lower(name)
    for (const field of this.#fields) if (field[0] === wanted) return true
    return false
  }

  getSetCookie(): string[] {
    return this.#fields.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
  }

  append(name: string, value: string): void {
    const wanted = nameOf(name)
    const added = valueOf(value)
    const at = wanted === 'set-cookie' ? -1 : this.#indexOf(wanted)
    const fields = this.#own()
    if (at === -1) fields.push([wanted, added])
    else {
      const separator = wanted === 'cookie' ? '; ' : ', '
      fields[at] = [wanted, `${(fields[at] as Field)[1]}${separator}${added}`]
    }
  }

  set(name: string, value: string): void {
    const wanted = nameOf(name)
    const field: Field = [wanted, valueOf(value)]
    const at = this.#indexOf(wanted)
    if (at !== -1 && wanted === 'set-cookie') this.delete(wanted)
    else if (at !== -1) {
      this.#own()[at] = field
      return
    }
    this.#own().push(field)
  }

  delete(name: string): void {
    const wanted = nameOf(name)
    if (this.#indexOf(wanted) === -1) return
    this.#fields = this.#fields.filter((field) => field[0] !== wanted)
    this.#isShared = false
    this.#inOrder = null
  }

  forEach(
    callback: (value: string, name: string, parent: Headers) => void,
    thisArg?: unknown,
  ): void {
    for (const [name, value] of this.#sorted()) callback.call(thisArg, value, name, this)
  }

  *entries(): HeadersIterator<[string, string]> {
    for (const [name, value] of this.#sorted()) yield [name, value]
  }

  *keys(): HeadersIterator<string> {
    for (const [name] of this.#sorted()) yield name
  }

  *values(): HeadersIterator<string> {
    for (const [, value] of this.#sorted()) yield value
  }

  [Symbol.iterator](): HeadersIterator<[string, string]> {
    return this.entries()
  }

  /** All fields, in no particular order; not to be changed. */
  get fields(): readonly Field[] {
    return this.#fields
  }

  /** The list it was made of, where nothing has been changed since; null otherwise. */
  get given(): readonly Field[] | null {
    return this.#isShared ? this.#fields : null
  }

  #indexOf(name: string): number {
    const fields = this.#fields
    for (let at = 0; at < fields.length; at++) if ((fields[at] as Field)[0] === name) return at
    return -1
  }

  #own(): Field[] {
    if (this.#isShared) this.#fields = [...this.#fields]
    this.#isShared = false
    this.#inOrder = null
    return this.#fields
  }

  /** Iteration goes by name (Fetch, 2.2.2); the sort is stable, so cookies keep their order. */
  #sorted(): readonly Field[] {
    if (this.#inOrder !== null) return this.#inOrder
    if (!this.#isShared) return (this.#inOrder = this.#fields.toSorted(byName))
    let known = inOrder.get(this.#fields)
    if (known === undefined) inOrder.set(this.#fields, (known = this.#fields.toSorted(byName)))
    return (this.#inOrder = known)
  }
}

/** The fields of any `Headers` in whatever order, without a copy where that is possible. */
export const fieldsOf = (headers: Headers): Iterable<Field> =>
  headers instanceof QuickHeaders ? headers.fields : headers
